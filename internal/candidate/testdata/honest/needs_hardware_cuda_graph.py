import torch


def check():
    v = torch.tensor([2.0, -3.0], device="cuda")
    ok = torch.all(v > 0)
    torch._assert_async(ok)
    torch.cuda.synchronize()
    print("this line must not be reached")


torch.compile(check, backend="aot_eager")()
