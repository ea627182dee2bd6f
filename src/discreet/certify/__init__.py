"""From a mechanism to integers with a promise: quantise, perturbation table, certificate, verify.

Exact integers only. `table` and `verify` use nothing but the standard library, so that a third
party can check a certificate without trusting any other code.
"""
