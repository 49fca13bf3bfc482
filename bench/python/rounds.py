"""A bench script measures one round for each line of JSON that it reads, and answers with one:

    def decay(k, t): ...; return value              # or return value, work
    serve(decay)

{"name", "parameters", "seconds"} calls the function until `seconds` of processor time are over; {"rate", "value"} are
calls (or units of work) per second of processor time, and what it returned last.
"""
import json
import sys
import time


def serve(*functions):
    named = {function.__name__: function for function in functions}
    for line in sys.stdin:
        request = json.loads(line)
        function, parameters = named[request["name"]], request["parameters"]
        done, spent, batch, start = 0.0, 0.0, 1, time.process_time()
        while done == 0 or spent < request["seconds"]:
            for _ in range(batch):  # asking for the time can cost as much as a small job
                answer = function(**parameters)
                value, work = answer if isinstance(answer, tuple) else (answer, 1)
                done += work
            batch *= 2
            spent = time.process_time() - start
        print(json.dumps({"rate": float(done) / max(spent, 1e-9), "value": float(value)}), flush=True)
