package servers

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// RunWithoutLeaks runs a package's tests and fails when a goroutine is left that
// is no idle connection.
func RunWithoutLeaks(m *testing.M) int {
	code := m.Run()
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
	if err := goleak.Find(); err != nil && code == 0 {
		_, _ = fmt.Fprintln(os.Stderr, "goroutines are left:", err)
		return 1
	}
	return code
}
