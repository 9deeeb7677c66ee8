package candidate

import (
	"testing"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// TestPatterns compiles what the program compiles only when it is needed.
func TestPatterns(t *testing.T) {
	if err := lazyre.Check(); err != nil {
		t.Fatal(err)
	}
}
