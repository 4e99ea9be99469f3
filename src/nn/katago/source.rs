//! The words and numbers of a model file, packed or not, binary or text.
//!
//! A model file is a sequence of words with white space between them. Where weights stand, the
//! text form has one word for each; the binary form has `@BIN@` and the weights as little-endian
//! floats behind it.

use std::io::{self, BufRead, BufReader, Read};
use std::str::FromStr;

use flate2::bufread::MultiGzDecoder;

use super::error::KataGoError;

/// How a packed file begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Weights hardly become smaller when they are packed, a text of them by a factor of three.
const MOST_EXPANSION: u64 = 64;

/// What a small file may unpack to, whatever its size.
const SMALL: u64 = 16 << 20;

/// No word of a model file is as long as this.
const LONGEST_WORD: usize = 256;

/// Between two words there is less white space than this.
const LONGEST_SPACE: usize = 256;

/// Weights that are read at a time: memory grows with what the file holds, not with what it says.
const CHUNK: usize = 1 << 14;

/// Smaller weights are zeros: they change nothing, and nets that were trained with decay have many so
/// small that processors take a hundred times as long for them.
const LEAST: f32 = 1e-20;

const MARK: &[u8; 5] = b"@BIN@";

/// Whether the contents of a file begin as KataGo's do: packed, or with a name and a number.
#[must_use]
pub fn looks_like_katago(bytes: &[u8]) -> bool {
    let mut source = Source::new(&bytes[..bytes.len().min(2 * LONGEST_WORD)]);
    let is_text = |source: &mut Source<'_>| {
        let name = source.word().ok()?;
        let _: i64 = source.number("a model version").ok()?;
        Some(is_name(&name))
    };
    bytes.starts_with(&GZIP) || is_text(&mut source) == Some(true)
}

/// Whether a network may have this name.
pub(super) fn is_name(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_graphic()) && !word.contains('=')
}

/// Reads a model file from its beginning to its end.
pub(super) struct Source<'a> {
    input: BufReader<Box<dyn Read + 'a>>,
    limit: u64,
    left: u64,
    /// The part of the network that is being read, for messages.
    pub(super) place: String,
}

impl<'a> Source<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let (input, limit): (Box<dyn Read + 'a>, u64) = if bytes.starts_with(&GZIP) {
            let limit = (bytes.len() as u64).saturating_mul(MOST_EXPANSION).max(SMALL);
            (Box::new(MultiGzDecoder::new(bytes)), limit)
        } else {
            (Box::new(bytes), u64::MAX)
        };
        let place = "the head of the file".to_owned();
        Self { input: BufReader::new(input), limit, left: limit, place }
    }

    /// The next word.
    pub(super) fn word(&mut self) -> Result<String, KataGoError> {
        self.skip_space()?;
        let mut word = Vec::new();
        while let Some(byte) = self.peek()?.filter(|byte| !byte.is_ascii_whitespace()) {
            if word.len() == LONGEST_WORD {
                return Err(self.unexpected(&word, "a word"));
            }
            word.push(byte);
            self.consume(1)?;
        }
        if word.is_empty() {
            return Err(self.ended());
        }
        String::from_utf8(word).map_err(|error| self.unexpected(error.as_bytes(), "a word"))
    }

    /// The next word as a number.
    pub(super) fn number<T: FromStr>(&mut self, expected: &'static str) -> Result<T, KataGoError> {
        let word = self.word()?;
        word.parse().map_err(|_| self.unexpected(word.as_bytes(), expected))
    }

    /// The next word as a number from 1 to `most`.
    pub(super) fn size(
        &mut self,
        most: usize,
        expected: &'static str,
    ) -> Result<usize, KataGoError> {
        let word = self.word()?;
        let size = word.parse().ok().filter(|size| (1..=most).contains(size));
        size.ok_or_else(|| self.unexpected(word.as_bytes(), expected))
    }

    /// The next word as 0 or 1.
    pub(super) fn flag(&mut self) -> Result<bool, KataGoError> {
        let word = self.word()?;
        match word.as_str() {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(self.unexpected(word.as_bytes(), "0 or 1")),
        }
    }

    /// So many weights.
    pub(super) fn floats(&mut self, count: usize) -> Result<Vec<f32>, KataGoError> {
        self.skip_space()?;
        let values = if self.peek()? == Some(MARK[0]) {
            self.binary_floats(count)?
        } else {
            self.text_floats(count)?
        };
        if values.iter().all(|value| value.is_finite()) {
            let kept = |value: f32| if value.abs() < LEAST { 0.0 } else { value };
            Ok(values.into_iter().map(kept).collect())
        } else {
            Err(KataGoError::NotFinite { place: self.place.clone() })
        }
    }

    /// Whether nothing but white space follows.
    pub(super) fn is_at_end(&mut self) -> Result<bool, KataGoError> {
        self.skip_space()?;
        Ok(self.peek()?.is_none())
    }

    pub(super) fn unexpected(&self, found: &[u8], expected: &'static str) -> KataGoError {
        let found = String::from_utf8_lossy(&found[..found.len().min(40)]);
        let found = found.chars().filter(|c| !c.is_control()).collect();
        KataGoError::Unexpected { place: self.place.clone(), found, expected }
    }

    fn ended(&self) -> KataGoError {
        KataGoError::Ended { place: self.place.clone() }
    }

    fn binary_floats(&mut self, count: usize) -> Result<Vec<f32>, KataGoError> {
        let mut mark = [0; MARK.len()];
        self.fill(&mut mark)?;
        if &mark != MARK {
            return Err(self.unexpected(&mark, "@BIN@"));
        }
        let mut values = Vec::with_capacity(count.min(CHUNK));
        let mut bytes = [0; 4 * 1024];
        while values.len() < count {
            let some = &mut bytes[..4 * (count - values.len()).min(1024)];
            self.fill(some)?;
            let (floats, _) = some.as_chunks();
            values.extend(floats.iter().map(|&bytes| f32::from_le_bytes(bytes)));
        }
        Ok(values)
    }

    fn text_floats(&mut self, count: usize) -> Result<Vec<f32>, KataGoError> {
        let mut values = Vec::with_capacity(count.min(CHUNK));
        for _ in 0..count {
            values.push(self.number("a weight")?);
        }
        Ok(values)
    }

    fn skip_space(&mut self) -> Result<(), KataGoError> {
        for _ in 0..LONGEST_SPACE {
            match self.peek()? {
                Some(byte) if byte.is_ascii_whitespace() => self.consume(1)?,
                _ => return Ok(()),
            }
        }
        Err(self.unexpected(b" ", "a word"))
    }

    fn peek(&mut self) -> Result<Option<u8>, KataGoError> {
        match self.input.fill_buf() {
            Ok(buffer) => Ok(buffer.first().copied()),
            Err(error) => Err(self.failed(&error)),
        }
    }

    fn consume(&mut self, bytes: usize) -> Result<(), KataGoError> {
        self.spend(bytes)?;
        self.input.consume(bytes);
        Ok(())
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), KataGoError> {
        self.spend(bytes.len())?;
        self.input.read_exact(bytes).map_err(|error| self.failed(&error))
    }

    fn spend(&mut self, bytes: usize) -> Result<(), KataGoError> {
        let left = self.left.checked_sub(bytes as u64);
        self.left = left.ok_or(KataGoError::Bomb { limit: self.limit })?;
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> KataGoError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => KataGoError::Ended { place: self.place.clone() },
            _ => KataGoError::Unpack(error.to_string()),
        }
    }
}
