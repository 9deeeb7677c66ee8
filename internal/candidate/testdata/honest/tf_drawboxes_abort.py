import numpy as np
import tensorflow as tf

picture = np.ones((60, 80, 3), dtype=np.float32)  # no batch dimension
boxes = np.array([[[0.1, 0.1, 0.5, 0.5], [0.2, 0.3, 0.9, 0.8]]], dtype=np.float32)
out = tf.raw_ops.DrawBoundingBoxes(images=tf.constant(picture), boxes=tf.constant(boxes))
print(out.shape)
