package proof

import "time"

// The parts of a proof, as Cost.Stages names them. The pipeline adds StageChoose.
const (
	StageChoose   = "choose"   // reading the report's versions against the index
	StageSolve    = "solve"    // until there is a lock of the reported side, repairs included
	StageBuild    = "build"    // filling and certifying the reported environment
	StageRuns     = "runs"     // executions on the reported side
	StageControls = "controls" // everything after them: contrasts, other releases
	StageAudit    = "audit"    // executions with the recorder in them
)

// stopwatch adds up wall time by part. It belongs to the one goroutine that
// goes through the proof; what runs beside it is not counted, so that the parts
// add up to the whole.
type stopwatch struct {
	part    string
	since   time.Time
	seconds map[string]float64
}

// enter ends the part under way and begins another; "" only ends.
func (s *stopwatch) enter(part string) {
	now := time.Now()
	if s.seconds == nil {
		s.seconds = map[string]float64{}
	}
	if s.part != "" {
		s.seconds[s.part] += now.Sub(s.since).Seconds()
	}
	s.part, s.since = part, now
}
