//! Where a network is computed.

use std::str::FromStr;

use candle_core::Device;

/// What the user has asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceChoice {
    /// An accelerator if there is one, the CPU otherwise.
    Auto,
    /// The CPU.
    Cpu,
    /// An NVIDIA card by its number.
    Cuda(usize),
    /// Apple's graphics.
    Metal,
}

/// The device cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// No such word.
    #[error("'{0}' is no device: choose auto, cpu, cuda:N or metal")]
    Unknown(String),
    /// This program cannot use it.
    #[error(
        "this program was built without {name}: build it with `cargo build --release --features \
         {name}`, or choose the device auto or cpu"
    )]
    NotBuilt {
        /// The feature that is missing.
        name: &'static str,
    },
    /// The program could, but the machine cannot.
    #[error("{name} cannot be used: {reason}; choose the device auto or cpu")]
    Absent {
        /// The device.
        name: String,
        /// What its driver says.
        reason: String,
    },
}

impl FromStr for DeviceChoice {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            "metal" => Ok(Self::Metal),
            other => other
                .strip_prefix("cuda:")
                .and_then(|number| number.parse().ok())
                .map(Self::Cuda)
                .ok_or_else(|| DeviceError::Unknown(text.to_owned())),
        }
    }
}

impl DeviceChoice {
    /// The device itself. `Auto` never fails: without an accelerator it is the CPU.
    pub fn open(self) -> Result<Device, DeviceError> {
        match self {
            Self::Cpu => Ok(Device::Cpu),
            Self::Auto => {
                Ok(Self::Cuda(0).open().or_else(|_| Self::Metal.open()).unwrap_or(Device::Cpu))
            }
            Self::Cuda(_) if !cfg!(feature = "cuda") => Err(DeviceError::NotBuilt { name: "cuda" }),
            Self::Metal if !cfg!(feature = "metal") => Err(DeviceError::NotBuilt { name: "metal" }),
            Self::Cuda(number) => opened(&format!("cuda:{number}"), || Device::new_cuda(number)),
            Self::Metal => opened("metal", || Device::new_metal(0)),
        }
    }
}

fn opened(
    name: &str,
    open: impl FnOnce() -> candle_core::Result<Device>,
) -> Result<Device, DeviceError> {
    open().map_err(|error| DeviceError::Absent { name: name.to_owned(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read() {
        assert_eq!("auto".parse(), Ok(DeviceChoice::Auto));
        assert_eq!("cuda:3".parse(), Ok(DeviceChoice::Cuda(3)));
        for text in ["", "gpu", "cuda:", "cuda:x", "cuda:-1"] {
            assert!(text.parse::<DeviceChoice>().is_err(), "{text}");
        }
    }

    #[test]
    fn auto_always_finds_something_and_an_absent_device_is_named() {
        assert!(DeviceChoice::Auto.open().is_ok());
        assert!(DeviceChoice::Cpu.open().is_ok_and(|device| device.is_cpu()));
        if !cfg!(feature = "cuda") {
            let error = DeviceChoice::Cuda(0).open().unwrap_err().to_string();
            assert!(error.contains("--features cuda"), "{error}");
        }
    }
}
