// The gated activations, a line each: a name, the operator, and the value for a vector x in the functions of vec_math.h.
//
// A line is a whole C++ kernel: common.h, pointwise.h and binding_pointwise.cpp expand it. New lines go to the end, since
// torchpaged/compiler/fusion.py passes an activation as its number.
#pragma once

#define TORCHPAGED_ACTIVATIONS(ACTIVATION) \
  ACTIVATION(Silu, silu_and_mul, silu(x))  \
  ACTIVATION(GeluTanh, gelu_tanh_and_mul, gelu_tanh(x))
