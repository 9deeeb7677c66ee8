import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Three(gym.Env):
    """Every episode has three steps with reward 1."""

    observation_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.k = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.k += 1
        return np.zeros(1, np.float32), 1.0, self.k >= 3, False, {}


outer = gym.wrappers.vector.NormalizeReward(gym.vector.SyncVectorEnv([Three]), gamma=0.99)
outer.reset(seed=1)
inner = gym.vector.SyncVectorEnv([lambda: gym.wrappers.NormalizeReward(Three(), gamma=0.99)])
inner.reset(seed=1)

for _ in range(12):
    outer.step(outer.action_space.sample())
    inner.step(inner.action_space.sample())

print("around the vector env:", outer.return_rms.count, outer.return_rms.mean)
print("around the sub env   :", inner.envs[0].return_rms.count, inner.envs[0].return_rms.mean)
