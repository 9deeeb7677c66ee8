import gymnasium as gym
from stable_baselines3 import PPO

agent = PPO("MlpPolicy", gym.make("CartPole-v1"), policy_kwargs={"net_arch": None}, n_steps=256, device="cpu")
agent.learn(total_timesteps=512)
agent.save("cartpole_agent")

again = PPO.load("cartpole_agent")
print("loaded", type(again).__name__)
