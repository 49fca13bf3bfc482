"""CODATA 2022 as SciPy 1.17 has it from the published table.

    python3 -m venv /tmp/sp && /tmp/sp/bin/pip install scipy==1.17.1
    /tmp/sp/bin/python codata.py > codata.json
"""
import json

from scipy.constants import _codata

names = [line[:60].strip() for line in _codata.txt2022.splitlines()]
rows = [f"  {json.dumps(name)}: {json.dumps(_codata._physical_constants_2022[name])}" for name in names]
print("{\n" + ",\n".join(rows) + "\n}")
