"""CODATA 2022 as SciPy 1.17 has it from the published table, for the constants that are used.

    python3 -m venv /tmp/sp && /tmp/sp/bin/pip install scipy==1.17.1
    /tmp/sp/bin/python codata.py > codata.json
"""
import json

from scipy.constants import physical_constants

names = [
    "speed of light in vacuum", "Planck constant", "elementary charge", "Boltzmann constant", "Avogadro constant",
    "Newtonian constant of gravitation", "vacuum electric permittivity", "vacuum mag. permeability", "electron mass",
    "proton mass", "neutron mass", "atomic mass constant", "fine-structure constant", "Rydberg constant", "Bohr radius",
]
print(json.dumps({name: physical_constants[name] for name in names}, indent=1))
