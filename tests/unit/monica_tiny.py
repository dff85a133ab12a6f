"""A tiny Llama whose weights are a closed form, as a Hugging Face folder and as a GGUF file."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE

SPECIAL = ("<|end|>", "<|start|>")
TEMPLATE = (
    "{% for m in messages %}<|start|>{{ m.role }}\n{{ m.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)
CONFIG = {
    "model_type": "llama",
    "vocab_size": 258,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "tie_word_embeddings": True,
    "hidden_act": "silu",
    "eos_token_id": 0,
}


def weights() -> dict[str, np.ndarray]:
    """Sines with another frequency for each tensor."""
    width, inner, kv = 32, 64, 16
    shapes = {"model.embed_tokens.weight": (258, width), "model.norm.weight": (width,)}
    for i in range(3):
        p = f"model.layers.{i}."
        shapes |= {
            p + "input_layernorm.weight": (width,),
            p + "post_attention_layernorm.weight": (width,),
            p + "self_attn.q_proj.weight": (width, width),
            p + "self_attn.k_proj.weight": (kv, width),
            p + "self_attn.v_proj.weight": (kv, width),
            p + "self_attn.o_proj.weight": (width, width),
            p + "mlp.gate_proj.weight": (inner, width),
            p + "mlp.up_proj.weight": (inner, width),
            p + "mlp.down_proj.weight": (width, inner),
        }
    out = {}
    for number, (name, shape) in enumerate(sorted(shapes.items())):
        wave = np.sin(np.arange(np.prod(shape)) * (1.3 + 0.17 * number) + number).reshape(shape)
        out[name] = (1 + 0.2 * wave if len(shape) == 1 else 0.4 * wave).astype(np.float32)
    return out


def tokenizer() -> Tokenizer:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {token: i for i, token in enumerate([*SPECIAL, *alphabet])}
    made = Tokenizer(BPE(vocab=vocab, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in SPECIAL])
    return made


def folder(path: Path, template: str = TEMPLATE, **changes: object) -> Path:
    """Write the model; ``changes`` go into config.json."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "config.json").write_text(json.dumps(CONFIG | changes))
    tokenizer().save(str(path / "tokenizer.json"))
    words = {"eos_token": "<|end|>", "bos_token": "<|start|>", "chat_template": template}
    (path / "tokenizer_config.json").write_text(json.dumps(words))
    save_file(weights(), path / "model.safetensors")
    return path


def gguf(path: Path, kind: str = "F32", template: str = TEMPLATE) -> Path:
    """The same model as llama.cpp would write it, matrices in the type ``kind``."""
    from gguf import GGMLQuantizationType, GGUFWriter
    from gguf.quants import quantize

    names = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "q_proj": "attn_q",
             "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output", "gate_proj": "ffn_gate",
             "up_proj": "ffn_up", "down_proj": "ffn_down"}  # fmt: skip
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(3)
    writer.add_context_length(128)
    writer.add_embedding_length(32)
    writer.add_feed_forward_length(64)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    vocab = sorted(tokenizer().get_vocab().items(), key=lambda item: item[1])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([token for token, _ in vocab])
    writer.add_token_types([3 if token in SPECIAL else 1 for token, _ in vocab])
    writer.add_eos_token_id(0)
    writer.add_bos_token_id(1)
    if template:
        writer.add_chat_template(template)
    for name, values in weights().items():
        part = name.split(".")
        if part[1] == "layers":
            new = f"blk.{part[2]}.{names[part[-2]]}.weight"
        else:
            new = {"embed_tokens": "token_embd.weight", "norm": "output_norm.weight"}[part[1]]
        if part[-2] in ("q_proj", "k_proj"):
            heads = 4 if part[-2] == "q_proj" else 2
            values = values.reshape(heads, 2, -1, 32).swapaxes(1, 2).reshape(values.shape)
        if values.ndim == 2 and kind != "F32":
            quantised = quantize(values, GGMLQuantizationType[kind])
            writer.add_tensor(new, quantised, raw_dtype=GGMLQuantizationType[kind])
        else:
            writer.add_tensor(new, np.ascontiguousarray(values))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
