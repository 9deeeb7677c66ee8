import argparse
import random
import time

import numpy as np
import torch


def set_seed(seed=0):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=3)
    args = parser.parse_args()
    set_seed()
    start = time.time()
    total = sum(torch.ones(args.n).sum().item() for _ in range(args.n))
    print("total", total, "in", time.time() - start)
    assert total == args.n ** 2, f"wrong: {total}"


if __name__ == "__main__":
    main()
