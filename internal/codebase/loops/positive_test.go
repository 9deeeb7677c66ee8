package loops

// found is a module with the loop that is expected of it.
type found struct {
	name  string
	src   string
	rules []int
	lines [2]int // of the best loop
}

var positives = []found{
	{"keras fit with its compile", `
import keras
model = keras.Sequential([keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
x = load()
model.fit(x, y, epochs=3)
`, []int{1}, [2]int{4, 6}},
	{"keras fit of a functional model", `
from tensorflow.keras import Model
def main():
    m = Model(a, b)
    m.fit(x, y)
`, []int{1}, [2]int{5, 5}},
	{"fit by its keywords", `
import tensorflow as tf
history = build().fit(ds, epochs=5, validation_data=val)
`, []int{1}, [2]int{3, 3}},
	{"fit of a class of this module", `
from tensorflow import keras
class VAE(keras.Model):
    pass
vae = VAE(e, d)
vae.fit(x)
`, []int{1}, [2]int{6, 6}},
	{"fit in a loop over folds", `
from keras.models import Sequential
for train, test in folds:
    model = Sequential()
    model.compile(loss="mse", optimizer="sgd")
    model.fit(x[train], y[train], verbose=0)
`, []int{1}, [2]int{3, 6}},
	{"fit_generator", `
from keras.models import load_model
net = load_model("x.h5")
net.fit_generator(gen(), steps_per_epoch=10)
`, []int{1}, [2]int{4, 4}},
	{"train_on_batch of a GAN", `
from keras.models import Model
def train(d, g, epochs):
    for epoch in range(epochs):
        for batch in batches:
            d.train_on_batch(batch, real)
        g.train_on_batch(noise, valid)
`, []int{1}, [2]int{4, 7}},
	{"apply_gradients after a tape", `
import tensorflow as tf
optimizer = tf.keras.optimizers.Adam()
for step, (x, y) in enumerate(ds):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True))
    grads = tape.gradient(loss, model.trainable_weights)
    optimizer.apply_gradients(zip(grads, model.trainable_weights))
`, []int{2, 3}, [2]int{4, 8}},
	{"train_step without a loop", `
import tensorflow as tf
@tf.function
def train_step(images):
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        out = generator(noise, training=True)
        loss = generator_loss(out)
    g = gen_tape.gradient(loss, generator.trainable_variables)
    opt_g.apply_gradients(zip(g, generator.trainable_variables))
`, []int{2, 3}, [2]int{5, 9}},
	{"tape with watch", `
import tensorflow as tf
x = tf.constant(3.0)
with tf.GradientTape() as t:
    t.watch(x)
    y = x * x
`, []int{3}, [2]int{4, 6}},
	{"minimize of what is made on the spot", `
import tensorflow as tf
loss = tf.reduce_mean(x)
train_op = tf.train.AdamOptimizer(1e-3).minimize(loss)
`, []int{2}, [2]int{4, 4}},
	{"minimize of a name", `
import tensorflow.compat.v1 as tf
opt = tf.train.GradientDescentOptimizer(0.1)
train = opt.minimize(cost)
`, []int{2}, [2]int{4, 4}},
	{"session bound by with", `
import tensorflow as tf
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(training_epochs):
        for i in range(total_batch):
            _, c = sess.run([train_op, cost], feed_dict={x: xs})
        print(c)
`, []int{4}, [2]int{5, 8}},
	{"session bound by assignment", `
import tensorflow as tf
s = tf.compat.v1.InteractiveSession()
while not done:
    s.run(train)
`, []int{4}, [2]int{4, 5}},
	{"session of an attribute", `
import tensorflow as tf
class Net:
    def __init__(self):
        self.s = tf.Session()
    def train(self):
        for i in range(9):
            self.s.run(self.op)
`, []int{4}, [2]int{7, 8}},
	{"session as a parameter", `
import tensorflow as tf
def train(sess, op):
    for _ in range(3):
        sess.run(op)
`, []int{4}, [2]int{4, 5}},
	{"get_session of the backend", `
from keras import backend as K
for i in range(10):
    K.get_session().run(op)
`, []int{4}, [2]int{3, 4}},
	{"torch, the usual one", `
import torch
from torch import nn, optim
optimizer = optim.SGD(model.parameters(), lr=0.1)
for epoch in range(10):
    model.train()
    for data, target in train_loader:
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        loss = F.nll_loss(model(data), target)
        loss.backward()
        optimizer.step()
        total += loss.item()
    scheduler.step()
`, []int{5, 6, 7}, [2]int{5, 14}},
	{"batches without epochs", `
import torch
def train(model, loader, opt):
    for x, y in loader:
        opt.zero_grad()
        criterion(model(x.cuda()), y.cuda()).backward()
        opt.step()
`, []int{5, 7}, [2]int{4, 7}},
	{"LBFGS with a closure", `
import torch
opt = torch.optim.LBFGS([x])
for i in range(20):
    def closure():
        opt.zero_grad()
        loss = f(x)
        loss.backward()
        return loss
    opt.step(closure)
`, []int{5}, [2]int{4, 10}},
	{"scaler", `
import torch
scaler = torch.cuda.amp.GradScaler()
while True:
    with torch.autocast("cuda"):
        loss = net(x)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
`, []int{5}, [2]int{4, 9}},
	{"accelerate", `
from accelerate import Accelerator
for batch in dl:
    accelerator.backward(loss)
    optimizer.step()
`, []int{5}, [2]int{3, 5}},
	{"DeepSpeed engine", `
import deepspeed
for step, batch in enumerate(data_loader):
    loss = engine(batch)
    engine.backward(loss)
    engine.step()
`, []int{5}, [2]int{3, 6}},
	{"optimizer of an attribute", `
import torch
class T:
    def __init__(self, m):
        self.o = torch.optim.AdamW(m.parameters())
    def run(self):
        for b in self.data:
            self.o.step()
`, []int{5}, [2]int{7, 8}},
	{"loss item only", `
import torch
for x in xs:
    total += losses["seg"].item()
`, []int{6}, [2]int{3, 4}},
	{"dictionary of tensors", `
from torch.utils.data import DataLoader
it = DataLoader(ds)
for batch in it:
    batch = {k: v.to(device) for k, v in batch.items()}
`, []int{7}, [2]int{4, 5}},
	{"lightning", `
import pytorch_lightning as pl
class Lit(pl.LightningModule):
    def training_step(self, batch, batch_idx):
        return self.loss(self(batch))
`, []int{8}, [2]int{4, 5}},
	{"lightning through a base of this module", `
from lightning.pytorch import LightningModule
class Base(LightningModule): pass
class Lit(Base):
    def training_step(self, batch):
        return 1
`, []int{8}, [2]int{5, 6}},
	{"lightning through a base elsewhere", `
from .base import BaseTask
class Lit(BaseTask):
    def training_step(self, batch, batch_idx):
        return 1
`, []int{8}, [2]int{4, 5}},
	{"optax", `
import jax, optax
tx = optax.adam(1e-3)
for i in range(100):
    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, state = tx.update(grads, state)
    params = optax.apply_updates(params, updates)
`, []int{9}, [2]int{4, 7}},
	{"flax train step and its loop", `
import jax
from flax.training import train_state
@jax.jit
def step(state, batch):
    grads = jax.grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads)
for epoch in range(3):
    for batch in ds:
        state = step(state, batch)
`, []int{9}, [2]int{4, 7}},
	{"Python 2", `
import torch
for i in range(3):
    loss.backward()
    print "loss", loss.item()
`, []int{5, 6}, [2]int{3, 5}},
	{"long epoch loop is kept apart", "\nimport torch\nfor epoch in range(2):\n" + filler(160) + `
    for x in loader:
        opt.zero_grad()
        opt.step()
`, []int{5}, [2]int{165, 167}},
	{"the step in a function", `
import torch
def train_iter(x):
    optimizer.zero_grad()
    loss = model(x)
    loss.backward()
    optimizer.step()
for epoch in range(3):
    train_iter(x)
`, []int{5}, [2]int{8, 9}},
	{"the step in a method", `
import torch
class Trainer:
    def _batch(self, x):
        self.model(x).loss.backward()
        self.optimizer.step()
    def train(self):
        for x in self.data:
            self._batch(x)
`, []int{5}, [2]int{8, 9}},
	{"the step in a method of another object", `
import torch
class Agent:
    def learn(self):
        loss.backward()
        self.opt.step()
agent = Agent()
while True:
    agent.learn()
`, []int{5}, [2]int{8, 9}},
	{"a bracket never closed before it", `
import torch
def broken():
    x = foo(1, [
def train():
    for e in range(3):
        loss.backward()
        opt.step()
`, []int{5}, [2]int{6, 8}},
	{"a closed one after it", `
import torch
for e in range(3):
    loss.backward()
    opt.step()
x = [)
`, []int{5}, [2]int{3, 5}},
	{"an outer loop that steps holds its inner one", `
import torch
for i in range(9):
    for x in loader:
        x = x.cuda()
        loss = net(x)
        loss.backward()
    opt.step()
`, []int{5, 7}, [2]int{3, 8}},
}

func filler(lines int) string {
	out := ""
	for range lines {
		out += "    x = 1\n"
	}
	return out
}
