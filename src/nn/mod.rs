//! Networks: features, residual nets, their kernels on a CPU, and the files they come in.

pub mod features;
pub mod kernels;
