import os
import subprocess
import sys
import time

import optuna

DB = "sqlite:///grid_study.db"


def worker():
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.GridSampler({"x": [0, 1, 2]})
    study = optuna.create_study(storage=DB, study_name="mine", sampler=sampler, load_if_exists=True)

    def objective(trial):
        x = trial.suggest_int("x", -10, 10)
        print("x =", x, flush=True)
        time.sleep(2)
        return x * x

    study.optimize(objective, n_trials=1)


if len(sys.argv) > 1:
    worker()
else:
    if os.path.exists("grid_study.db"):
        os.remove("grid_study.db")
    print("optuna", optuna.__version__)
    procs = []
    for _ in range(3):
        p = subprocess.Popen([sys.executable, __file__, "worker"], stdout=subprocess.PIPE, text=True)
        print(p.stdout.readline().strip())
        procs.append(p)
    for p in procs:
        p.wait()
