package openai

import (
	"os"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.RunWithoutLeaks(m)) }

func open(t *testing.T, url string, timeout time.Duration) llm.Model {
	t.Helper()
	m, err := New(Options{BaseURL: url, Model: "m", Key: servers.Key, KeyFrom: "A_VARIABLE", Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestServers(t *testing.T) { servers.Suite(t, servers.OpenAI, open) }
