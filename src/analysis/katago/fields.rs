//! Fields of a JSON object, read one by one. An error names the field.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

/// A field of a query is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) field: String,
    pub(super) reason: String,
}

pub(super) type Read<T> = Result<T, Refusal>;

pub(super) fn refusal(field: &str, reason: impl Into<String>) -> Refusal {
    Refusal { field: field.to_owned(), reason: reason.into() }
}

/// The fields of a query or of a part of one.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Fields<'a> {
    pub(super) fn get(self, field: &str) -> Option<&'a Value> {
        self.0.get(field)
    }

    pub(super) fn has(self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// A whole number without a point.
    pub(super) fn integer(self, field: &str, limits: RangeInclusive<i64>) -> Read<Option<i64>> {
        let Some(value) = self.get(field) else { return Ok(None) };
        let number = value.as_i64().filter(|number| limits.contains(number));
        let (low, high) = limits.into_inner();
        let reason = || refusal(field, format!("Must be an integer from {low} to {high}"));
        number.ok_or_else(reason).map(Some)
    }

    pub(super) fn number(self, field: &str, limits: RangeInclusive<f64>) -> Read<Option<f64>> {
        let Some(value) = self.get(field) else { return Ok(None) };
        let number = value.as_f64().filter(|number| limits.contains(number));
        let (low, high) = limits.into_inner();
        let reason = || refusal(field, format!("Must be a number from {low} to {high}"));
        number.ok_or_else(reason).map(Some)
    }

    /// False where there is no such field.
    pub(super) fn flag(self, field: &str) -> Read<bool> {
        let flag =
            |value: &Value| value.as_bool().ok_or_else(|| refusal(field, "Must be a boolean"));
        self.get(field).map_or(Ok(false), flag)
    }

    /// A list of numbers, whose digits behind the point are cut off as KataGo does.
    pub(super) fn integers(self, field: &str) -> Read<Option<Vec<i64>>> {
        let Some(value) = self.get(field) else { return Ok(None) };
        let numbers = value.as_array().and_then(|list| list.iter().map(whole).collect());
        numbers.ok_or_else(|| refusal(field, "Must be an array of integers")).map(Some)
    }
}

fn whole(value: &Value) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "that is what is wanted")]
    let cut = |number: f64| number.trunc() as i64;
    match value {
        Value::Bool(flag) => Some(i64::from(*flag)),
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(cut)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_of_wrong_types_and_beyond_their_limits_are_refused() {
        let Value::Object(object) = json!({
            "whole": 3, "point": 3.0, "text": "3", "yes": true, "list": [1, -2.5, true],
            "mixed": [1, "2"], "none": null, "huge": 18_446_744_073_709_551_615_u64,
        }) else {
            panic!("not an object")
        };
        let fields = Fields(&object);
        let integer = |field| fields.integer(field, 0..=5).map_err(|refusal| refusal.field);
        assert_eq!(integer("whole"), Ok(Some(3)));
        assert_eq!(integer("absent"), Ok(None));
        for field in ["point", "text", "yes", "none", "list", "huge"] {
            assert_eq!(integer(field), Err(field.to_owned()));
            assert!(fields.number(field, 0.0..=5.0).is_err() != (field == "point"), "{field}");
        }
        assert!(fields.integer("whole", 4..=5).unwrap_err().reason.contains("4 to 5"));
        assert_eq!(fields.flag("yes"), Ok(true));
        assert_eq!(fields.flag("absent"), Ok(false));
        assert!(fields.flag("whole").is_err() && fields.flag("none").is_err());
        assert_eq!(fields.integers("list"), Ok(Some(vec![1, -2, 1])));
        assert!(fields.integers("mixed").is_err() && fields.integers("whole").is_err());
    }
}
