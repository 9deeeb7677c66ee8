import warnings


class Careful(UserWarning):
    pass


def fit():
    warnings.warn("during fit", Careful)


fit()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("caught")
warnings.warn("ignored by default", DeprecationWarning, stacklevel=50)
warnings.simplefilter("ignore")
warnings.warn("filtered")
print(len(caught))
