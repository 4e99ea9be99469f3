//! Writes small networks with arbitrary weights in KataGo's format.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

/// How weights are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Binary,
    Text,
}

/// Channels of the trunk, inside of blocks, of pools, of the heads, and neurons.
const TRUNK: usize = 6;
const INNER: usize = 5;
const POOLED: usize = 3;
const HEAD: usize = 4;
const NEURONS: usize = 7;

/// A network of a model version, not packed.
pub(crate) fn net(version: u32, form: Form) -> Vec<u8> {
    wide(version, TRUNK, form)
}

/// The same with so many channels in the trunk.
pub(crate) fn wide(version: u32, trunk: usize, form: Form) -> Vec<u8> {
    let mut writer = Writer { bytes: Vec::new(), form, version, trunk, state: 12345 };
    writer.model();
    writer.bytes
}

/// A packed file.
pub(crate) fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

struct Writer {
    bytes: Vec<u8>,
    form: Form,
    version: u32,
    trunk: usize,
    state: u32,
}

impl Writer {
    fn words(&mut self, text: &str) {
        for word in text.split_whitespace() {
            self.bytes.extend(word.as_bytes());
            self.bytes.push(b'\n');
        }
    }

    /// Weights from -1 to 1 times a factor, around a middle.
    fn floats(&mut self, count: usize, factor: f32, middle: f32) {
        let values: Vec<f32> = (0..count)
            .map(|_| {
                self.state = self.state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let number = f32::from(u16::try_from(self.state >> 16).unwrap()) / 32768.0 - 1.0;
                middle + factor * number
            })
            .collect();
        match self.form {
            Form::Binary => {
                self.bytes.extend(b"@BIN@");
                for value in values {
                    self.bytes.extend(value.to_le_bytes());
                }
                self.bytes.push(b'\n');
            }
            Form::Text => {
                let words: Vec<_> = values.iter().map(ToString::to_string).collect();
                self.bytes.extend(words.join(" ").as_bytes());
                self.bytes.push(b'\n');
            }
        }
    }

    fn model(&mut self) {
        self.words(&format!("sample-net {} 22 19", self.version));
        if self.version >= 13 {
            self.words("20 21 22 23 40 0.25 30");
        }
        if self.version >= 15 {
            // The newest sees areas as if suicide were allowed.
            self.words(if self.version >= 17 { "0 1 0 0 0 0 0 0" } else { "0 0 0 0 0 0 0 0" });
        }
        self.trunk();
        self.policy();
        self.value();
    }

    fn trunk(&mut self) {
        let trunk = self.trunk;
        let blocks = match self.version {
            ..11 => 2,
            11..16 => 3,
            16.. => 6,
        };
        self.words(&format!("trunk {blocks} {trunk} {INNER} {INNER} {POOLED} {POOLED}"));
        if self.version >= 15 {
            self.words(if self.version >= 16 { "1 0 0 0 0 0" } else { "0 0 0 0 0 0" });
        }
        self.conv("conv1", if self.version >= 11 { 3 } else { 5 }, 22, self.trunk);
        self.mat_mul("ginputw", 19, self.trunk);
        self.ordinary("rconv1", self.trunk);
        self.pooled("rconv2", self.trunk);
        if self.version >= 11 {
            let inside = if self.version >= 16 { 4 } else { 2 };
            self.words(&format!("nested_bottleneck_block rconv3 {inside}"));
            self.norm("rconv3/norm1", self.trunk);
            self.conv("rconv3/w1", 1, self.trunk, INNER);
            self.ordinary("rconv3/b1", INNER);
            self.pooled("rconv3/b2", INNER);
            if self.version >= 16 {
                self.attention("rconv3/b3", INNER, [4, 2, 6, 3], "1 1");
                self.feed_forward("rconv3/b4", INNER);
            }
            self.norm("rconv3/norm2", INNER);
            self.conv("rconv3/w2", 1, INNER, self.trunk);
        }
        if self.version >= 16 {
            self.attention("attention1", self.trunk, [3, 3, 10, 10], "1 0");
            self.feed_forward("ffn1", self.trunk);
            self.attention("attention2", self.trunk, [2, 1, 5, 7], "0 0");
            let spatial = u32::from(self.version >= 17);
            self.words(&format!("trunk/norm {trunk} 0.001 {spatial} 0"));
            self.floats(self.trunk, 0.4, 0.6);
            self.floats(self.trunk, 0.3, 0.1);
            self.activation("trunk/actv");
        } else {
            self.norm("trunk/norm", self.trunk);
        }
    }

    /// Heads that ask and are asked, channels of a query and of a value; whether queries turn, and
    /// by learnt angles.
    fn attention(&mut self, name: &str, channels: usize, heads: [usize; 4], rotation: &str) {
        let [queries, keys, asked, given] = heads;
        self.words("transformer_attention_block");
        self.words(&format!("{name} {queries} {keys} {asked} {given} {rotation}"));
        self.point_norm(channels);
        self.mat_mul("q_proj", channels, queries * asked);
        self.mat_mul("k_proj", channels, keys * asked);
        self.mat_mul("v_proj", channels, keys * given);
        self.mat_mul("out_proj", queries * given, channels);
        match rotation {
            "1 1" => {
                self.words(&format!("rope_freqs {keys} {} 2", asked / 2));
                self.floats(keys * asked, 0.4, 0.0);
            }
            "1 0" => self.words("rope_theta 100.0"),
            _ => {}
        }
    }

    fn feed_forward(&mut self, name: &str, channels: usize) {
        self.words(&format!("transformer_ffn_block {name} {channels} {NEURONS} 1"));
        self.point_norm(channels);
        self.mat_mul("linear1", channels, NEURONS);
        self.mat_mul("linear_gate", channels, NEURONS);
        self.mat_mul("linear2", NEURONS, channels);
    }

    fn point_norm(&mut self, channels: usize) {
        self.words(&format!("norm {channels} 1e-06"));
        self.floats(channels, 0.4, 0.9);
    }

    fn ordinary(&mut self, name: &str, channels: usize) {
        self.words(&format!("ordinary_block {name}"));
        self.norm("norm1", channels);
        self.conv("w1", 3, channels, INNER);
        self.norm("norm2", INNER);
        self.conv("w2", 3, INNER, channels);
    }

    fn pooled(&mut self, name: &str, channels: usize) {
        self.words(&format!("gpool_block {name}"));
        self.norm("norm1", channels);
        self.conv("w1a", 3, channels, INNER);
        self.conv("w1b", 3, channels, POOLED);
        self.norm("norm1b", POOLED);
        self.mat_mul("w1r", 3 * POOLED, INNER);
        self.norm("norm2", INNER);
        self.conv("w2", 3, INNER, channels);
    }

    fn policy(&mut self) {
        let outputs = match self.version {
            ..12 => 1,
            16 => 4,
            _ => 2,
        };
        self.words("policyhead");
        if self.version >= 17 {
            self.words(&format!("{outputs} 0 0 0"));
        }
        self.conv("p1/w", 1, self.trunk, HEAD);
        self.conv("g1/w", 1, self.trunk, POOLED);
        self.norm("g1/norm", POOLED);
        self.mat_mul("matmulg2w", 3 * POOLED, HEAD);
        self.norm("p1/norm", HEAD);
        self.conv("p2/w", 1, HEAD, outputs);
        if self.version >= 15 {
            self.dense("matmulpass", 3 * POOLED, HEAD);
            self.activation("actpass");
            self.mat_mul("matmulpass2", HEAD, outputs);
        } else {
            self.mat_mul("matmulpass", 3 * POOLED, outputs);
        }
    }

    fn value(&mut self) {
        self.words("valuehead");
        if self.version >= 17 {
            self.words("0 0 0");
        }
        self.conv("v1/w", 1, self.trunk, HEAD);
        self.norm("v1/norm", HEAD);
        self.dense("v2", 3 * HEAD, NEURONS);
        self.activation("v2/actv");
        self.dense("v3", NEURONS, 3);
        self.dense("sv3", NEURONS, if self.version >= 9 { 6 } else { 4 });
        self.conv("vownership/w", 1, HEAD, 1);
    }

    fn conv(&mut self, name: &str, side: usize, inputs: usize, outputs: usize) {
        self.words(&format!("{name} {side} {side} {inputs} {outputs} 1 1"));
        self.floats(side * side * inputs * outputs, 0.4, 0.0);
    }

    fn norm(&mut self, name: &str, channels: usize) {
        self.words(&format!("{name} {channels} 0.001 1 1"));
        self.floats(channels, 0.3, 0.0);
        self.floats(channels, 0.3, 1.0);
        self.floats(channels, 0.4, 0.6);
        self.floats(channels, 0.3, 0.1);
        self.activation(&format!("{name}/actv"));
    }

    fn activation(&mut self, name: &str) {
        self.words(name);
        match self.version {
            ..11 => {}
            11..16 => self.words("ACTIVATION_MISH"),
            16.. => self.words("ACTIVATION_SILU"),
        }
    }

    fn mat_mul(&mut self, name: &str, inputs: usize, outputs: usize) {
        self.words(&format!("{name} {inputs} {outputs}"));
        self.floats(inputs * outputs, 0.3, 0.0);
    }

    fn dense(&mut self, name: &str, inputs: usize, outputs: usize) {
        self.mat_mul(&format!("{name}/w"), inputs, outputs);
        self.words(&format!("{name}/b {outputs}"));
        self.floats(outputs, 0.3, 0.0);
    }
}
