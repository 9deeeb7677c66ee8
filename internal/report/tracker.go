package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// MaxComments is how many comments of an issue are read; later ones rarely
// hold facts of the reporter's own (a guess).
const MaxComments = 30

// Issue is one issue of a tracker, authors left out.
type Issue struct {
	Title    string
	Body     string
	URL      string
	Repo     string // "owner/name"
	Created  time.Time
	Labels   []string
	Comments []Comment
	Notes    []string
}

// Comment is one reply. Reporter is true when whoever filed the issue wrote it.
type Comment struct {
	Body     string
	Reporter bool
}

// IsTrackerJSON says whether the bytes look like a saved issue of a tracker's
// API: a JSON object with a title and a body.
func IsTrackerJSON(raw []byte) bool {
	raw = bytes.TrimLeft(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(raw) == 0 || raw[0] != '{' {
		return false
	}
	var probe map[string]json.RawMessage
	if json.Unmarshal(raw, &probe) != nil {
		return false
	}
	// A body of null is an issue that was filed with a title only.
	title, body := probe["title"], probe["body"]
	return len(title) > 0 && title[0] == '"' && len(body) > 0 && (body[0] == '"' || string(body) == "null")
}

// trackerIssue is the API's object. Comments is a number there, and a list in
// files that were saved together with the replies.
type trackerIssue struct {
	Title         string          `json:"title"`
	Body          *string         `json:"body"`
	HTMLURL       string          `json:"html_url"`
	RepositoryURL string          `json:"repository_url"`
	CreatedAt     time.Time       `json:"created_at"`
	CreatedAtCLI  time.Time       `json:"createdAt"`
	URL           string          `json:"url"`
	User          trackerUser     `json:"user"`
	Author        trackerUser     `json:"author"`
	Labels        []trackerLabel  `json:"labels"`
	Comments      json.RawMessage `json:"comments"`
}

type trackerUser struct {
	Login string `json:"login"`
}

// trackerLabel is an object with a name, or the bare name.
type trackerLabel struct{ Name string }

// UnmarshalJSON takes both forms of a label.
func (l *trackerLabel) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &l.Name)
	}
	var object struct {
		Name string `json:"name"`
	}
	err := json.Unmarshal(raw, &object)
	l.Name = object.Name
	return err
}

// TrackerComment is a reply in the API's form.
type trackerComment struct {
	Body   string      `json:"body"`
	User   trackerUser `json:"user"`
	Author trackerUser `json:"author"`
}

// DecodeIssue reads the API's JSON of one issue, with its comments when they
// are in the same object. Names of people are dropped here.
func DecodeIssue(raw []byte) (Issue, error) {
	var in trackerIssue
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if err := json.Unmarshal(raw, &in); err != nil {
		return Issue{}, fmt.Errorf("decode issue: %w", err)
	}
	issue := Issue{Title: in.Title, URL: in.HTMLURL, Created: in.CreatedAt.UTC(), Repo: repoOf(in)}
	if in.CreatedAt.IsZero() {
		issue.Created = in.CreatedAtCLI.UTC()
	}
	if issue.URL == "" {
		issue.URL = in.URL
	}
	if in.Body != nil {
		issue.Body = *in.Body
	}
	for _, l := range in.Labels {
		issue.Labels = append(issue.Labels, l.Name)
	}
	if len(in.Comments) > 0 && in.Comments[0] == '[' {
		comments, err := DecodeComments(in.Comments, in.User.Login+in.Author.Login)
		if err != nil {
			return Issue{}, err
		}
		issue.Comments = comments
	}
	return issue, nil
}

// DecodeComments reads the API's list of replies; those by the given login are
// marked as the reporter's own, and no name is kept.
func DecodeComments(raw []byte, reporter string) ([]Comment, error) {
	var in []trackerComment
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("decode comments: %w", err)
	}
	var out []Comment
	for _, c := range in {
		if len(out) == MaxComments {
			break
		}
		by := c.User.Login + c.Author.Login
		out = append(out, Comment{Body: c.Body, Reporter: by != "" && by == reporter})
	}
	return out, nil
}

// ReporterOf gives the login of whoever filed the issue, so that replies can
// be told apart; it is never stored in a Report.
func ReporterOf(raw []byte) string {
	var in struct {
		User   trackerUser `json:"user"`
		Author trackerUser `json:"author"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return ""
	}
	return in.User.Login + in.Author.Login
}

var repoInURL = lazyre.New(`^https?://[^/]+/(?:repos/)?([\w.-]+/[\w.-]+?)(?:/issues/\d+|/pull/\d+)?$`)

// repoOf is "owner/name" from the first address that has it.
func repoOf(in trackerIssue) string {
	for _, u := range []string{in.RepositoryURL, in.HTMLURL, in.URL} {
		if m := repoInURL.FindStringSubmatch(u); m != nil {
			return m[1]
		}
	}
	return ""
}

// FromIssue parses an issue. Its text is the title as a heading, the body, and
// each comment under a heading of ours ("Comment 1", "Comment 2 (reporter)").
func FromIssue(issue Issue, src Source) *Report {
	var b strings.Builder
	title := strings.Join(strings.Fields(issue.Title), " ")
	if title != "" {
		b.WriteString("# " + title + "\n\n")
	}
	body, notes := normalise([]byte(issue.Body))
	b.WriteString(body)
	issue.Notes = append(issue.Notes, notes...)
	if src.URL == "" {
		src.URL = issue.URL
	}
	return parse([]byte(b.String()), issue, src)
}
