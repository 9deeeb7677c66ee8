import traceback

import torch

for dtype in (torch.float16, torch.bfloat16):
    try:
        torch.linalg.inv(torch.eye(2, dtype=dtype))
    except Exception:
        traceback.print_exc()
        raise
