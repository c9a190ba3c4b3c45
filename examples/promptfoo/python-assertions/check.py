def get_assert(output, context):
    rising = sorted(output.split()) == output.split()
    return {"pass": rising, "score": 1.0 if rising else 0.0, "reason": "the numbers rise"}
