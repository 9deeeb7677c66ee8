package environment

// tools are the lazily found helpers of a Manager.
type tools struct{}
