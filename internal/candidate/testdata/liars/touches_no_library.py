import math

def logsumexp(values):
    return math.log(sum(math.exp(v) for v in values))

print(logsumexp([1.0, 2.0]))
