package servers

// Overflow is how a server says that a prompt does not fit.
type Overflow struct {
	Name     string
	Protocol Protocol
	Status   int
	Body     string
}

// Overflows are the words of the servers in use, after their sources and
// manuals.
var Overflows = []Overflow{
	{"hosted", OpenAI, 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
	{"vLLM", OpenAI, 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (3976 in the messages, 1024 in the completion). Please reduce the length of the messages or completion (parameter=max_tokens).","type":"BadRequestError","param":null,"code":400}`},
	{"vLLM, newer", OpenAI, 400, `{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that max_model_len is no smaller.","type":"BadRequestError","param":null,"code":400}}`},
	{"llama.cpp", OpenAI, 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`},
	{"Ollama", OpenAI, 400, `{"error":{"message":"input length exceeds maximum context length","type":"invalid_request_error","param":null,"code":null}}`},
	{"TGI", OpenAI, 422, `{"error":"Input validation error: ` + "`inputs` must have less than 4095 tokens. Given: 5000" + `","error_type":"validation"}`},
	{"LM Studio", OpenAI, 400, `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`},
	{"Mistral", OpenAI, 400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt","param":null,"code":"3051"}`},
	{"Gemini", OpenAI, 400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`},
	{"gateway", OpenAI, 413, `<html><body>413 Request Entity Too Large</body></html>`},
	{"hosted", Anthropic, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`},
	{"hosted, with the answer", Anthropic, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 199000 + 4096 > 200000, decrease input length or ` + "`max_tokens`" + ` and try again"}}`},
	{"hosted, bytes", Anthropic, 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`},
}
