import time

import optuna

study = optuna.create_study()
time.sleep(10_000)
