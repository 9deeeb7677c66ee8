import numpy as np
import pygad

GENES = 16


def score(ga, genes, index):
    return float(np.sum(genes[0::2]) - np.sum(genes[1::2]))


ga = pygad.GA(
    num_generations=40,
    num_parents_mating=8,
    fitness_func=score,
    sol_per_pop=60,
    num_genes=GENES,
    gene_type=int,
    init_range_low=0,
    init_range_high=2,
    parent_selection_type="sss",
    keep_parents=1,
    crossover_type="single_point",
    mutation_type="random",
    mutation_percent_genes=10,
)
ga.run()
best, best_score, _ = ga.best_solution()
print("best :", best)
print("score:", best_score)
