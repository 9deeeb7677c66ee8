import a

def f():
    pass

class B(object):
    x = 1


    y = 2