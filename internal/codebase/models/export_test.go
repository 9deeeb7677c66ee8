package models

import "time"

// Hurry shortens the waiting.
func (m *Models) Hurry(patience, pause time.Duration) { m.patience, m.pause = patience, pause }
