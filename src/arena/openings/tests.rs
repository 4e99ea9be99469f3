use super::*;

fn ground(side: usize, rules: Rules) -> Ground {
    Ground { size: BoardSize::square(side).unwrap(), rules, plies: 4 }
}

fn random(side: usize, rules: Rules, plies: usize, count: usize, seed: u64) -> Vec<Vec<Move>> {
    let source = OpeningSource::Random(plies);
    source.openings(&ground(side, rules), count, Seed::new(seed)).unwrap()
}

/// A folder with one file of this name and text.
fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn random_openings_repeat_and_are_different() {
    for rules in [Rules::CHINESE, Rules::NOGO] {
        let list = random(9, rules, 4, 300, 7);
        assert_eq!(list, random(9, rules, 4, 300, 7));
        assert_ne!(list, random(9, rules, 4, 300, 8));
        // More openings begin with the same ones.
        assert_eq!(list[..100], random(9, rules, 4, 100, 7));
        let mut seen = HashSet::new();
        for moves in &list {
            assert_eq!(moves.len(), 4);
            check(&ground(9, rules), moves).unwrap();
            let mut position = Position::new(BoardSize::square(9).unwrap(), rules, Komi::default());
            for &mv in moves {
                position.play(position.to_move(), mv).unwrap();
            }
            assert!(seen.insert(whichever_way_turned(&position)), "an opening comes twice");
        }
    }
}

#[test]
fn random_openings_are_no_nonsense() {
    let size = BoardSize::square(9).unwrap();
    for moves in random(9, Rules::CHINESE, 12, 50, 3) {
        let mut position = Position::new(size, Rules::CHINESE, Komi::default());
        for mv in moves {
            let (x, y) = size.coordinates(mv.point().unwrap());
            assert!((1..8).contains(&x) && (1..8).contains(&y), "on the edge");
            position.play(position.to_move(), mv).unwrap();
            let board = position.board();
            let atari = size.points().find(|&p| board.stone(p).is_some() && board.in_atari(p));
            assert_eq!(atari, None, "a chain in atari");
        }
    }
}

#[test]
fn small_boards_run_out_of_openings() {
    // Without its turned forms a board of 3x3 has three first moves.
    let list = random(3, Rules::CHINESE, 1, 5, 1);
    assert_eq!(list.len(), 3);
    let size = BoardSize::square(3).unwrap();
    let kinds: HashSet<_> = list
        .iter()
        .map(|moves| {
            let mut position = Position::new(size, Rules::CHINESE, Komi::default());
            position.play(Color::Black, moves[0]).unwrap();
            whichever_way_turned(&position)
        })
        .collect();
    assert_eq!(kinds.len(), 3);
    let source = OpeningSource::Random(4);
    assert!(source.openings(&ground(3, Rules::CHINESE), 5, Seed::new(1)).is_err());
}

#[test]
fn sequences_are_read_from_lines_and_tables() {
    let (_folder, path) = file("a.txt", "# centre\nE5 C5\n\n d6, f4 e5 \n");
    let source: OpeningSource = path.to_str().unwrap().parse().unwrap();
    let read = |seed| source.openings(&ground(9, Rules::CHINESE), 9, Seed::new(seed)).unwrap();
    let mut list = read(1);
    list.sort_by_key(Vec::len);
    let size = BoardSize::square(9).unwrap();
    let text: Vec<Vec<_>> =
        list.iter().map(|moves| moves.iter().map(|&mv| size.move_text(mv)).collect()).collect();
    assert_eq!(text, [vec!["E5", "C5"], vec!["D6", "F4", "E5"]]);
    assert_eq!(read(1), read(1));
    assert!((2..20).any(|seed| read(seed) != read(1)), "the seed decides the order");
    let (_folder, path) = file("a.tsv", "plies\tgames\tmoves\n2\t12981\tE5 C5\n2\t8136\tD6 F4\n");
    let source = OpeningSource::Path(path);
    let list = source.openings(&ground(9, Rules::CHINESE), 9, Seed::new(1)).unwrap();
    assert_eq!(list.len(), 2);
}

#[test]
fn bad_sequences_are_named() {
    let error = |text: &str| {
        let (_folder, path) = file("a.txt", text);
        let source = OpeningSource::Path(path);
        source.openings(&ground(9, Rules::CHINESE), 9, Seed::new(1)).unwrap_err().to_string()
    };
    assert!(error("E5\nE5 E5\n").contains("a.txt, line 2: move 2, E5: the point is occupied"));
    assert!(error("Z5\n").contains("line 1"));
    assert!(error("pass\n").contains("line 1"));
    assert!(error("# nothing\n").contains("holds no openings"));
    let missing = OpeningSource::Path("/no/such/file".into());
    let missing = missing.openings(&ground(9, Rules::CHINESE), 9, Seed::new(1));
    assert!(missing.unwrap_err().to_string().contains("/no/such/file"));
    assert!("random:0".parse::<OpeningSource>().is_err());
    assert!("random:x".parse::<OpeningSource>().is_err());
}

#[test]
fn folders_of_records_give_their_first_moves() {
    let (folder, _) = file("b.sgf", "(;GM[1]SZ[9];B[ee];W[cc];B[gg];W[gc];B[cg])");
    // What is no record is left alone.
    std::fs::write(folder.path().join("notes.txt"), "no game").unwrap();
    std::fs::create_dir(folder.path().join("c.sgf")).unwrap();
    let list = OpeningSource::Path(folder.path().to_owned());
    let list = list.openings(&ground(9, Rules::CHINESE), 9, Seed::new(1)).unwrap();
    let size = BoardSize::square(9).unwrap();
    let text: Vec<_> = list[0].iter().map(|&mv| size.move_text(mv)).collect();
    assert_eq!(text, ["E5", "C7", "G3", "G7"]);
    for (text, reason) in [
        ("(;GM[1]SZ[13];B[ee])", "its board is 13x13"),
        ("(;GM[1]SZ[9];B[ee];B[cc])", "alternate"),
        ("(;GM[1]SZ[9]AB[ee];W[cc])", "no stones at the start"),
        ("(;GM[1]SZ[9];B[ee];W[])", "pass"),
        ("nothing", "not an SGF file"),
    ] {
        let (folder, _) = file("bad.sgf", text);
        let source = OpeningSource::Path(folder.path().to_owned());
        let error = source.openings(&ground(9, Rules::CHINESE), 9, Seed::new(1)).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert!(error.to_string().contains("bad.sgf"), "{error}");
    }
}
