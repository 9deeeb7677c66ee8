from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

tok = AutoTokenizer.from_pretrained("google-t5/t5-small")
model = AutoModelForSeq2SeqLM.from_pretrained("google-t5/t5-small").eval()

prompts = ["translate English to German: The house is small.", "translate English to German: " + "very " * 12 + "long sentence"]
batch = tok(prompts, padding=True, return_tensors="pt")

ids, mask = batch.input_ids[:1], batch.attention_mask[:1]
for cut in range(int(mask.sum()), ids.shape[1] + 1):
    out = model.generate(input_ids=ids[:, :cut], attention_mask=mask[:, :cut], max_new_tokens=12)
    print(cut, tok.decode(out[0], skip_special_tokens=True))
