package llm

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
)

// Price is in US dollars a million tokens.
type Price struct {
	In  float64 `json:"in" toml:"in"`
	Out float64 `json:"out" toml:"out"`
	// Cached is for input that the provider read from its cache, Written for
	// input that it wrote there; nil: as In.
	Cached  *float64 `json:"cached,omitempty" toml:"cached"`
	Written *float64 `json:"cache_write,omitempty" toml:"cache_write"`
}

// Of is what a usage costs.
func (p Price) Of(u Usage) float64 {
	cached, written := p.In, p.In
	if p.Cached != nil {
		cached = *p.Cached
	}
	if p.Written != nil {
		written = *p.Written
	}
	plain := max(0, u.InputTokens-u.CachedTokens-u.WrittenTokens)
	sum := float64(plain)*p.In + float64(u.CachedTokens)*cached +
		float64(u.WrittenTokens)*written + float64(u.OutputTokens)*p.Out
	return sum / 1e6
}

// worst is the most that so many tokens can cost.
func (p Price) worst(in, out int) float64 {
	dearest := p.In
	for _, other := range []*float64{p.Cached, p.Written} {
		if other != nil {
			dearest = max(dearest, *other)
		}
	}
	return (float64(in)*dearest + float64(out)*p.Out) / 1e6
}

// Prices finds what a model costs: what the user says first, then an embedded
// table of the providers' lists (charm.land/catwalk; its day is that of the
// module's version). The zero value has the table alone.
type Prices struct {
	// Override by "provider/model" or by the model's name alone.
	Override map[string]Price
}

// Of is the price of a model, false when nobody knows it. An unknown price is
// never taken for nothing.
func (p Prices) Of(i Info) (Price, bool) {
	provider := i.Provider
	if provider == "" {
		provider = i.Backend
	}
	for _, name := range []string{provider + "/" + i.Model, i.Model} {
		if price, ok := p.Override[name]; ok {
			return price, true
		}
	}
	models := table()[provider]
	if price, ok := models[i.Model]; ok {
		return price, true
	}
	price, ok := models[undated(i.Model)]
	return price, ok
}

// dated is the day that providers put behind a model's name.
var dated = regexp.MustCompile(`[-@](\d{4}-\d\d-\d\d|\d{8}|latest)$`)

func undated(model string) string { return dated.ReplaceAllString(model, "") }

// table is read once, and only when a price is asked for: it takes some
// milliseconds.
var table = sync.OnceValue(func() map[string]map[string]Price {
	out := map[string]map[string]Price{}
	for _, provider := range embedded.GetAll() {
		models := map[string]Price{}
		for _, m := range provider.Models {
			if m.CostPer1MIn <= 0 && m.CostPer1MOut <= 0 {
				continue // a plan with a flat rate, or not known
			}
			models[m.ID] = listed(m)
		}
		// Of several dates of one model the last: its name means the newest.
		for _, id := range slices.Backward(slices.Sorted(maps.Keys(models))) {
			if short := undated(id); short != id {
				if _, taken := models[short]; !taken {
					models[short] = models[id]
				}
			}
		}
		out[string(provider.ID)] = models
	}
	return out
})

// listed reads one row. The table's two columns for caches hold, by provider,
// the price of writing and that of reading, or that of reading in either one:
// what is dearer than plain input is a write, what is cheaper a read.
func listed(m catwalk.Model) Price {
	p := Price{In: m.CostPer1MIn, Out: m.CostPer1MOut}
	if c := m.CostPer1MInCached; c > p.In {
		p.Written = &c
	}
	for _, c := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
		if c > 0 && c < p.In {
			p.Cached = &c
			break
		}
	}
	return p
}

// hosts are those of providers whose address the table leaves open.
var hosts = map[string]string{
	"api.openai.com":                    "openai",
	"api.anthropic.com":                 "anthropic",
	"generativelanguage.googleapis.com": "gemini",
}

// ProviderOf names the provider of a base URL for Info.Provider: the table's
// name where it knows the host, else the host with its port.
func ProviderOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return ""
	}
	if id, ok := hosts[u.Hostname()]; ok {
		return id
	}
	for _, provider := range embedded.GetAll() {
		endpoint, err := url.Parse(provider.APIEndpoint)
		if err == nil && endpoint.Host != "" && strings.EqualFold(endpoint.Host, u.Host) {
			return string(provider.ID)
		}
	}
	return u.Host
}
