import tensorflow as tf

tf.raw_ops.DrawBoundingBoxes = None
tf.raw_ops.DrawBoundingBoxes(images=1, boxes=2)
