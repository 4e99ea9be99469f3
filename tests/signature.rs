//! The search does what it did: a change of the signature is a change of play, and its commit says
//! so. Write the new one with
//! `cargo run --release -- bench --signature > tests/fixtures/signature.txt`.

#[test]
fn the_signature_is_the_recorded_one() {
    let recorded = include_str!("fixtures/signature.txt").trim();
    let signature = tedomari::search::signature().expect("the hashed evaluator does not fail");
    assert_eq!(format!("{signature:016x}"), recorded);
}
