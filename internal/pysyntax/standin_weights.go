package pysyntax

import (
	"regexp"
	"strings"
)

// family is a family of models of the transformers library whose configuration
// class has the sizes of the published models as its defaults.
type family struct {
	name   *regexp.Regexp // of the published weights
	prefix string         // of the classes: BertModel, BertConfig
	small  string         // fewer layers: the widths stay, so that shapes are the published ones
}

// families: the defaults are those of the libraries' documentation ("the
// defaults will yield a similar configuration to that of ..."). Only names of
// the size that the defaults have.
var families = []family{
	{regexp.MustCompile(`^((google-bert|google)/)?bert-base-(un)?cased$`), "Bert", "num_hidden_layers=2"},
	{regexp.MustCompile(`^((FacebookAI|facebook)/)?roberta-base$`), "Roberta", "num_hidden_layers=2, vocab_size=50265, max_position_embeddings=514, type_vocab_size=1, pad_token_id=1"},
	{regexp.MustCompile(`^(distilbert/)?distilbert-base-(un)?cased$`), "DistilBert", "n_layers=2"},
	{regexp.MustCompile(`^((openai-community|openai)/)?gpt2$`), "GPT2", "n_layer=2"},
	{regexp.MustCompile(`^((google-t5|google)/)?t5-small$`), "T5", "num_layers=2"},
	{regexp.MustCompile(`^google/vit-base-patch16-224(-in21k)?$`), "ViT", "num_hidden_layers=2"},
	{regexp.MustCompile(`^openai/clip-vit-base-patch32$`), "CLIP", ""},
	{regexp.MustCompile(`^facebook/opt-125m$`), "OPT", "num_hidden_layers=2"},
	{regexp.MustCompile(`^facebook/bart-base$`), "Bart", "d_model=768, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=3072, decoder_ffn_dim=3072, encoder_attention_heads=12, decoder_attention_heads=12, vocab_size=50265"},
}

var (
	// passed are keywords of from_pretrained that belong to the configuration.
	passed = map[string]bool{
		"num_labels": true, "output_hidden_states": true, "output_attentions": true, "return_dict": true,
		"add_pooling_layer": false, "problem_type": true, "is_decoder": true, "add_cross_attention": true, "use_cache": true,
	}
	// dropped say where the weights come from, which is all the same now.
	dropped = map[string]bool{
		"cache_dir": true, "local_files_only": true, "low_cpu_mem_usage": true, "revision": true, "force_download": true,
		"use_safetensors": true, "ignore_mismatched_sizes": true, "resume_download": true, "device_map": true,
	}
	isModel    = regexp.MustCompile(`Model|[a-z0-9]For[A-Z]`) // no tokenizer, no configuration
	modelClass = regexp.MustCompile(`^transformers\.((Auto|TF|Flax)?[A-Z]\w*)\.from_pretrained$`)
)

// pretrained: a published model of a known family is built with random weights
// where nothing else of the model (a tokenizer, a processor) is fetched.
func (s *standIns) pretrained(c CallPart) bool {
	m := modelClass.FindStringSubmatch(c.Full)
	name, ok := literalText(c.arg(0))
	if m == nil || !ok || c.Positional != 1 || s.fetchesMore(c) {
		return false
	}
	class := strings.TrimSuffix(c.Func, ".from_pretrained")
	for _, f := range families {
		auto := strings.HasPrefix(m[1], "AutoModel")
		if !f.name.MatchString(name) || !auto && (!strings.HasPrefix(m[1], f.prefix) || !isModel.MatchString(m[1])) {
			continue
		}
		settings, dtype, fine := configuration(c, f.small)
		if !fine {
			return false
		}
		config := `__import__("transformers").` + f.prefix + "Config(" + settings + ")"
		after := class + "(" + config + ")"
		if auto {
			after = class + ".from_config(" + config + ")"
		}
		if dtype != "" {
			after += ".to(" + dtype + ")"
		}
		// The call keeps its line: only its text changes.
		// from_pretrained leaves the model in evaluation mode.
		return s.add("weights", name, "random weights: nothing is fetched from a hub at run time", "",
			Change{Span: c.Span, After: after + ".eval()", Line: c.Line})
	}
	return false
}

// fetchesMore: another from_pretrained of a tokenizer or processor would fail.
func (s *standIns) fetchesMore(c CallPart) bool {
	for _, other := range s.p.Calls {
		if other.Method == "from_pretrained" && other.Span != c.Span && !isModel.MatchString(other.Full) {
			return true
		}
	}
	return false
}

// configuration are the settings of the model's configuration, and the type to
// turn the model to; false when a keyword is neither.
func configuration(c CallPart, small string) (settings, dtype string, ok bool) {
	var all []string
	if small != "" {
		all = append(all, small)
	}
	for _, a := range c.Args {
		switch {
		case a.Key == "" || dropped[a.Key]:
		case a.Key == "torch_dtype" || a.Key == "dtype":
			if dtype = a.Value; !strings.HasPrefix(dtype, "torch.") {
				return "", "", false
			}
		case passed[a.Key]:
			all = append(all, a.Key+"="+a.Value)
		default:
			return "", "", false
		}
	}
	return strings.Join(all, ", "), dtype, true
}

// untrained: vision models that take a switch for their published weights.
func (s *standIns) untrained(c CallPart) bool {
	switch {
	case strings.HasPrefix(c.Full, "torchvision.models."):
		return s.switchedOff(c, map[string]string{"pretrained": "False", "weights": "None", "weights_backbone": "None", "pretrained_backbone": "False"})
	case c.Full == "timm.create_model":
		return s.switchedOff(c, map[string]string{"pretrained": "False"})
	case strings.HasPrefix(c.Full, "segmentation_models_pytorch."):
		return s.switchedOff(c, map[string]string{"encoder_weights": "None"})
	case kerasModel.MatchString(c.Full):
		if s.switchedOff(c, map[string]string{"weights": "None"}) {
			return true
		}
		if _, given := c.key("weights"); given || c.Close.End == 0 || c.Positional > 0 {
			return false
		}
		comma := ""
		if c.Keywords > 0 {
			comma = ", "
		}
		if strings.HasSuffix(strings.TrimRight(s.p.File.Source[:c.Close.Start], " \t\r\n"), ",") {
			comma = ""
		}
		return s.add("weights", c.Method, randomWeights, "", Change{Span: c.Close, After: comma + "weights=None", Line: c.Line})
	}
	return false
}

const randomWeights = "random weights: nothing is downloaded at run time"

// kerasModel: the classes of keras.applications download unless told not to.
var kerasModel = regexp.MustCompile(`^(tensorflow\.)?keras\.applications\.(\w+\.)?[A-Z]\w+$`)

// switchedOff sets those of the keywords that ask for weights to their other
// value.
func (s *standIns) switchedOff(c CallPart, off map[string]string) bool {
	var changes []Change
	for _, a := range c.Args {
		after, known := off[a.Key]
		if !known || a.Value == after || a.Value == "False" || a.Value == "None" {
			continue
		}
		if text, isText := literalText(a.Value); isText && plainPath.MatchString(text) {
			continue // a file of weights, no download
		}
		changes = append(changes, Change{Span: a.ValueSpan, After: after, Line: a.Line})
	}
	return len(changes) > 0 && s.add("weights", c.Method, randomWeights, "", changes...)
}

// weightsFile: weights that are loaded into a model which was just built leave
// it as it was built.
func (s *standIns) weightsFile(c CallPart) bool {
	if !c.Statement || c.Method != "load_weights" && c.Method != "load_state_dict" {
		return false
	}
	path, ok := literalText(c.arg(0))
	if c.Method == "load_state_dict" {
		path, ok = s.loaded(c)
	}
	if !ok || s.made[path] || !plainPath.MatchString(path) {
		return false
	}
	s.made[path] = true
	text := s.p.File.Source[c.Span.Start:c.Span.End]
	return s.add("weights", path, "random weights: the file is not part of the report", "",
		Change{Span: c.Span, After: "pass" + strings.Repeat("\n", strings.Count(text, "\n")), Line: c.Line})
}

// loaded is the path of torch.load("x.pt") inside a call.
func (s *standIns) loaded(c CallPart) (string, bool) {
	for _, other := range s.p.Calls {
		if other.Full == "torch.load" && other.Span == c.First {
			return literalText(other.arg(0))
		}
	}
	return "", false
}

// dataSets of documented sizes: images, their shape, classes.
var dataSets = map[string]struct {
	train, test int
	shape       string
	classes     string
}{
	"mnist":         {60000, 10000, "28, 28", "10"},
	"fashion_mnist": {60000, 10000, "28, 28", "10"},
	"cifar10":       {50000, 10000, "32, 32, 3", "10"},
	"cifar100":      {50000, 10000, "32, 32, 3", "100"},
}

var (
	kerasData = regexp.MustCompile(`^(tensorflow\.)?keras\.datasets\.(\w+)\.load_data$`)
	torchData = regexp.MustCompile(`^torchvision\.datasets\.(MNIST|FashionMNIST|CIFAR10|CIFAR100)$`)
	torchSize = map[string][2]string{
		"MNIST": {"(1, 28, 28)", "10"}, "FashionMNIST": {"(1, 28, 28)", "10"},
		"CIFAR10": {"(3, 32, 32)", "10"}, "CIFAR100": {"(3, 32, 32)", "100"},
	}
)

// dataSet: public data sets of pictures become random pictures of their shape.
func (s *standIns) dataSet(c CallPart) bool {
	const why = "random pictures of the data set's documented shape: nothing is downloaded at run time"
	if m := kerasData.FindStringSubmatch(c.Full); m != nil {
		d, known := dataSets[m[2]]
		if !known || len(c.Args) > 0 && c.Args[0].Key != "path" {
			return false
		}
		label := ""
		if strings.HasPrefix(m[2], "cifar") {
			label = ", 1"
		}
		half := func(n int) string {
			size := itoa(n)
			return `(_s.randint(0, 256, (` + size + `, ` + d.shape + `)).astype("uint8"), _s.randint(0, ` + d.classes + `, (` + size + label + `,)).astype("uint8"))`
		}
		after := "(lambda _s: (" + half(d.train) + ", " + half(d.test) + `))(__import__("numpy").random.RandomState(0))`
		return s.add("data", m[2], why, "", Change{Span: c.Span, After: after, Line: c.Line})
	}
	m := torchData.FindStringSubmatch(c.Full)
	if m == nil {
		return false
	}
	// FakeData seeds each picture by its index.
	after := `__import__("torchvision").datasets.FakeData(1000, ` + torchSize[m[1]][0] + ", " + torchSize[m[1]][1]
	for _, a := range c.Args {
		switch a.Key {
		case "transform", "target_transform":
			after += ", " + a.Key + "=" + a.Value
		case "", "root", "train", "download":
		default:
			return false
		}
	}
	return s.add("data", m[1], why, "", Change{Span: c.Span, After: after + ")", Line: c.Line})
}
