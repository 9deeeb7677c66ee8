import keras

code = compile("def f(axis):\n    return [i for i in axis]\n", keras.__file__, "exec")
exec(code, keras.__dict__)
print(keras.f(1))
