package loops

// negatives are modules without a training loop that look like one.
var negatives = []struct{ name, src string }{
	{"sklearn fit", `
from sklearn.svm import SVC
clf = SVC()
clf.fit(x, y)
`},
	{"sklearn fit beside Keras", `
import keras
from sklearn.preprocessing import StandardScaler
scaler = StandardScaler()
scaler.fit(x)
`},
	{"sklearn model beside Keras", `
import keras
from sklearn.linear_model import LinearRegression
model = LinearRegression()
model.fit(x, y)
`},
	{"sklearn pipeline in a loop", `
from sklearn.pipeline import make_pipeline
for a in grid:
    model = make_pipeline(a)
    model.fit(x, y)
`},
	{"xgboost", `
import xgboost
m = xgboost.XGBClassifier()
m.fit(x, y, verbose=1)
`},
	{"lightning trainer", `
import lightning as L
trainer = L.Trainer()
trainer.fit(model, loader)
`},
	{"lightning trainer beside Keras", `
import keras
trainer.fit(model, epochs=3)
`},
	{"fit_transform", `
import keras
x = scaler.fit_transform(x)
`},
	{"a fit of its own", `
def fit(x): pass
fit(3)
`},
	{"curve fit", `
from scipy.optimize import curve_fit
for c in cs:
    curve_fit(f, x, y)
`},
	{"fullmatch", `
import re
for line in lines:
    re.fullmatch('fit(.*)', line)
`},
	{"keras tokenizer", `
from keras.preprocessing.text import Tokenizer
t = Tokenizer()
t.fit_on_texts(x)
`},
	{"fit in a string", `
import keras
s = '''model.fit(x, y, epochs=3)'''
`},
	{"fit in a comment", `
import keras
# model.fit(x, y, epochs=3)
`},
	{"scipy minimize", `
from scipy import optimize
for x0 in starts:
    optimize.minimize(f, x0)
`},
	{"scipy minimize by name", `
from scipy.optimize import minimize
for x0 in starts:
    minimize(f, x0)
`},
	{"window minimize", `
import tkinter
window.minimize()
`},
	{"skopt", `
import skopt
res = skopt.forest_minimize(f, space)
`},
	{"tape without gradient", `
import tensorflow as tf
with tf.GradientTape() as tape:
    y = f(x)
`},
	{"tape of music", `
with Tape() as tape:
    tape.watch(x)
`},
	{"subprocess run", `
import subprocess
for c in cmds:
    subprocess.run(c, check=True)
`},
	{"asyncio run", `
import asyncio
while True:
    asyncio.run(main())
`},
	{"trainer run", `
import ignite
for i in x:
    trainer.run(loader)
`},
	{"app run", `
import flask
while 1:
    app.run()
`},
	{"run beside TensorFlow", `
import tensorflow as tf
for t in tests:
    runner.run(t)
    self.run(t)
`},
	{"session of requests", `
import requests
session = requests.Session()
for u in us:
    session.run(u)
`},
	{"session of neo4j", `
from neo4j import GraphDatabase
with driver.session() as session:
    for q in qs:
        session.run(q)
`},
	{"session of onnxruntime", `
import onnxruntime as ort
sess = ort.InferenceSession('m.onnx')
for x in xs:
    sess.run(None, {'x': x})
`},
	{"session of onnxruntime beside TensorFlow", `
import tensorflow as tf
import onnxruntime as ort
sess = ort.InferenceSession('m.onnx')
for x in xs:
    sess.run(None, {'x': x})
`},
	{"session of onnxruntime as a parameter", `
import onnxruntime
def f(sess):
    for x in xs:
        sess.run(None, x)
`},
	{"session of onnxruntime by its name", `
import tensorflow as tf
for x in xs:
    self.ort_session.run(None, x)
`},
	{"session outside of a loop", `
import tensorflow as tf
with tf.Session() as sess:
    sess.run(op)
`},
	{"scheduler alone", `
import torch
from torch.optim.lr_scheduler import StepLR
scheduler = StepLR(opt, 3)
for e in range(3):
    scheduler.step()
`},
	{"scheduler by name", `
import torch
for e in range(3):
    lr_scheduler.step()
    self.sched.step()
`},
	{"scheduler made beside the optimizer", `
import torch
optimizer, s = torch.optim.Adam(p), torch.optim.lr_scheduler.StepLR(o, 1)
for e in x:
    s.step()
`},
	{"plt step", `
import matplotlib.pyplot as plt
import torch
for a in b:
    plt.step(x, a)
`},
	{"axes step", `
import torch
for ax in axes:
    ax.step(x, y)
`},
	{"environment of reinforcement learning", `
import gym, torch
env = gym.make('CartPole-v1')
while not done:
    o, r, done, _ = env.step(a)
`},
	{"environment by another name", `
import gymnasium as gym
import torch
game = gym.make('x')
for i in range(9):
    game.step(a)
`},
	{"profiler step", `
import torch
with torch.profiler.profile() as prof:
    for x in loader:
        model(x)
        prof.step()
`},
	{"profiler by name", `
import torch
for x in xs:
    profiler.step()
`},
	{"step of an environment beside an agent's", `
import torch
class Agent:
    def step(self):
        loss.backward()
        self.opt.step()
while 1:
    env.step(a)
`},
	{"a function that only goes backward", `
import torch
def f(x):
    x.backward()
for x in xs:
    f(x)
`},
	{"moving average", `
import torch
for x in xs:
    ema.step(model)
`},
	{"simulation", `
import mujoco, torch
while t < 3:
    sim.step()
    self.world.step(dt)
`},
	{"step outside of a loop", `
import torch
optimizer.step()
`},
	{"a definition of backward", `
import torch
class F(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        return g
`},
	{"turtle", `
import turtle
for i in range(4):
    turtle.backward(100)
    turtle.left(90)
`},
	{"turtle with a name", `
t = make()
for i in range(4):
    t.backward(100)
`},
	{"backward of a list", `
for i in range(4):
    cursor.backward(x)
`},
	{"items of a dictionary", `
import torch
for x in xs:
    for k, v in losses.items():
        print(k)
`},
	{"item that is no loss", `
import torch
for x in xs:
    n += x.sum().item()
`},
	{"item outside of a loop", `
import torch
print(loss.item())
`},
	{"model to device in a loop over models", `
import torch
for m in models:
    m.to(device)
`},
	{"model to device in a loader loop", `
import torch
for x in loader:
    model.to(device)
`},
	{"a number of batches", `
import torch
for i in range(num_batches):
    x = a[i].to(device)
`},
	{"data frame", `
import pandas as pd
for f in files:
    f.to_csv('x')
`},
	{"to of a file list", `
for path in paths:
    path.to('x')
`},
	{"batch to outside of a loop", `
import torch
x = batch.to(device)
`},
	{"training_step of a trainer", `
from transformers import Trainer
class T(Trainer):
    def training_step(self, model, inputs):
        return 1
`},
	{"training_step function", `
def training_step(batch):
    return 1
`},
	{"training_step of a plain module", `
from torch import nn
class M(nn.Module):
    def training_step(self, batch):
        return 1
`},
	{"validation_step", `
import lightning as L
class M(L.LightningModule):
    def validation_step(self, batch):
        return 1
`},
	{"gradient alone in JAX", `
import jax
for x in xs:
    print(jax.grad(f)(x))
`},
	{"update of a dictionary in JAX", `
import jax
for x in xs:
    d.update(x)
    jax.grad(f)(x)
`},
	{"update of a hash", `
import hashlib
for x in xs:
    h.update(x)
`},
	{"empty", ""},
	{"no Python", "\x00\xff\xfe.fit( .step( backward(((("},
}
