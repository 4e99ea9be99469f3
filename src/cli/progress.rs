//! How long work shows that it goes on.

use indicatif::ProgressStyle;

/// A style for bars and spinners, which indicatif shows on terminals alone.
pub(super) fn bar(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
