//! Files in folders and object stores, by URL.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use futures_util::TryStreamExt as _;
use object_store::path::{Path as Key, PathPart};
use object_store::{ObjectStore, ObjectStoreExt as _};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use tokio::runtime::Runtime;
use url::Url;

use crate::util::{is_temporary, list_folder, make_folder, read_limited, write_atomically};

/// Bytes of the largest file that is copied.
const MAX_FILE: usize = 1 << 30;

/// Files under a URL.
pub struct Store {
    url: String,
    objects: Box<dyn ObjectStore>,
    root: Key,
    /// The folder that it is, if it is one.
    folder: Option<PathBuf>,
    runtime: Runtime,
}

/// A file of a store or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// Its way from the root, with `/` between the folders.
    pub name: String,
    /// How long it is.
    pub bytes: u64,
}

impl Store {
    /// Whether a text is a URL rather than the name of a folder.
    #[must_use]
    pub fn is_url(text: &str) -> bool {
        text.contains("://")
    }

    /// The files under a URL. Keys and endpoints of S3 are in the variables of an environment whose names
    /// begin with `AWS_`, as its other programs have them.
    pub fn open(
        url: &str,
        variables: impl Iterator<Item = (String, String)>,
    ) -> anyhow::Result<Self> {
        let open = || -> anyhow::Result<Self> {
            let parsed = Url::parse(url).context("write file:///PATH or s3://BUCKET/PREFIX")?;
            ensure!(
                parsed.scheme() != "s3" || cfg!(feature = "s3"),
                "this program was built without S3: build it with `--features s3`, or mount the \
                 bucket as a folder"
            );
            ensure!(
                matches!(parsed.scheme(), "file" | "s3"),
                "there is no store for {}: write file:///PATH or s3://BUCKET/PREFIX",
                parsed.scheme()
            );
            let options = variables.map(|(key, value)| (key.to_lowercase(), value));
            let options = options.filter(|(key, _)| key.starts_with("aws_"));
            let (objects, root) = object_store::parse_url_opts(&parsed, options)?;
            let folder = (parsed.scheme() == "file").then(|| parsed.to_file_path().ok()).flatten();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            Ok(Self { url: url.to_owned(), objects, root, folder, runtime })
        };
        open().with_context(|| format!("in {url}"))
    }

    /// All files, in the order of their names.
    pub fn files(&self) -> anyhow::Result<Vec<StoredFile>> {
        let list = self.objects.list(Some(&self.root)).try_collect::<Vec<_>>();
        let list = self.runtime.block_on(list).with_context(|| format!("in {}", self.url))?;
        // Keys have what is no plain ASCII in per cents.
        let decoded = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
        let name = |key: &Key| -> Option<String> {
            let parts: Vec<_> =
                key.prefix_match(&self.root)?.map(|part| decoded(part.as_ref())).collect();
            (!parts.is_empty()).then(|| parts.join("/"))
        };
        let mut files: Vec<_> = list
            .iter()
            .filter_map(|object| {
                Some(StoredFile { name: name(&object.location)?, bytes: object.size })
            })
            .filter(|file| !is_temporary(Path::new(&file.name)))
            .collect();
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(files)
    }

    /// Writes a file, whole or not at all.
    pub fn put(&self, name: &str, bytes: Vec<u8>) -> anyhow::Result<()> {
        let cannot = || format!("cannot write {name} in {}", self.url);
        if let Some(folder) = &self.folder {
            // The library leaves its temporary files behind when it is killed.
            let parts = name.split('/').map(|part| PathPart::from(part).as_ref().to_owned());
            let path = parts.fold(folder.clone(), |path, part| path.join(part));
            path.parent().map_or(Ok(()), make_folder).with_context(cannot)?;
            return write_atomically(&path, &bytes).with_context(cannot);
        }
        self.runtime
            .block_on(self.objects.put(&self.key(name), bytes.into()))
            .with_context(cannot)?;
        Ok(())
    }

    /// Reads a file.
    pub fn get(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        let key = self.key(name);
        let get = async {
            let found = self.objects.get(&key).await?;
            if found.meta.size > MAX_FILE as u64 {
                return Ok(None);
            }
            Ok::<_, object_store::Error>(Some(found.bytes().await?))
        };
        let bytes = self.runtime.block_on(get);
        match bytes.with_context(|| format!("cannot read {name} in {}", self.url))? {
            Some(bytes) => Ok(bytes.into()),
            None => bail!("{name} in {} is larger than {MAX_FILE} bytes", self.url),
        }
    }

    fn key(&self, name: &str) -> Key {
        name.split('/').fold(self.root.clone(), Key::join)
    }
}

/// What a copy has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Copied {
    /// Files that were copied.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that were there.
    pub left_alone: u64,
}

/// Copies what is missing or has other bytes. Files of one size are read on both sides: networks of one
/// shape have the same size.
fn copy(
    from: Vec<StoredFile>,
    there: &[StoredFile],
    read: impl Fn(&str) -> anyhow::Result<Vec<u8>>,
    read_there: impl Fn(&str) -> anyhow::Result<Vec<u8>>,
    write: impl Fn(&str, Vec<u8>) -> anyhow::Result<()>,
) -> anyhow::Result<Copied> {
    let mut copied = Copied::default();
    for found in from {
        let bytes = read(&found.name)?;
        if there.contains(&found) && read_there(&found.name)? == bytes {
            copied.left_alone += 1;
            continue;
        }
        copied.files += 1;
        copied.bytes += bytes.len() as u64;
        write(&found.name, bytes)?;
    }
    Ok(copied)
}

/// Copies the files of a folder to a store; those that are there with the same bytes are left alone.
pub fn put_folder(folder: &Path, store: &Store) -> anyhow::Result<Copied> {
    copy(
        files_below(folder)?,
        &store.files()?,
        |name| Ok(read_limited(&folder.join(name), MAX_FILE)?),
        |name| store.get(name),
        |name, bytes| store.put(name, bytes),
    )
}

/// Copies the files of a store to a folder; those that are there with the same bytes are left alone.
pub fn get_folder(store: &Store, folder: &Path) -> anyhow::Result<Copied> {
    let files = store.files()?;
    for StoredFile { name, .. } in &files {
        let safe =
            name.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.contains('\\'));
        ensure!(safe, "{name} in {} is no name of a file", store.url);
    }
    let cannot_make = || format!("cannot make the folder {}", folder.display());
    make_folder(folder).with_context(cannot_make)?;
    copy(
        files,
        &files_below(folder)?,
        |name| store.get(name),
        |name| Ok(read_limited(&folder.join(name), MAX_FILE)?),
        |name, bytes| {
            let path = folder.join(name);
            if let Some(parent) = path.parent() {
                make_folder(parent)
                    .with_context(|| format!("cannot make the folder {}", parent.display()))?;
            }
            write_atomically(&path, &bytes)
                .with_context(|| format!("cannot write {}", path.display()))
        },
    )
}

/// The files of a folder and of those below it, in the order of their names.
fn files_below(folder: &Path) -> anyhow::Result<Vec<StoredFile>> {
    let mut files = Vec::new();
    let mut waiting = vec![(folder.to_owned(), String::new())];
    while let Some((path, before)) = waiting.pop() {
        let entries = list_folder(&path).with_context(|| format!("in {}", path.display()))?;
        for entry in entries {
            let Some(name) = entry.file_name().and_then(|name| name.to_str()) else {
                bail!("{} has no name that a store can have", entry.display());
            };
            let name = format!("{before}{name}");
            let meta = std::fs::symlink_metadata(&entry)
                .with_context(|| format!("in {}", entry.display()))?;
            if meta.is_dir() {
                waiting.push((entry, format!("{name}/")));
            } else if meta.is_file() && !is_temporary(&entry) {
                files.push(StoredFile { name, bytes: meta.len() });
            }
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(url: &str) -> anyhow::Result<Store> {
        Store::open(url, std::iter::empty())
    }

    fn url(folder: &Path) -> String {
        Url::from_file_path(folder).unwrap().to_string()
    }

    #[test]
    fn folders_go_to_a_store_and_come_back() {
        let [from, store, to] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        std::fs::create_dir_all(from.path().join("deep/er")).unwrap();
        for (name, text) in [("a b.txt", "one"), ("deep/er/ü.shard", "two"), ("empty", "")] {
            std::fs::write(from.path().join(name), text).unwrap();
        }
        let prefix = store.path().join("runs/first");
        let there = open(&url(&prefix)).unwrap();
        assert_eq!(there.files().unwrap(), []);
        let copied = put_folder(from.path(), &there).unwrap();
        assert_eq!(copied, Copied { files: 3, bytes: 6, left_alone: 0 });
        assert_eq!(put_folder(from.path(), &there).unwrap().left_alone, 3);
        assert_eq!(there.get("deep/er/ü.shard").unwrap(), b"two");
        assert_eq!(get_folder(&there, to.path()).unwrap().files, 3);
        assert_eq!(files_below(to.path()).unwrap(), files_below(from.path()).unwrap());
        assert_eq!(std::fs::read(to.path().join("a b.txt")).unwrap(), b"one");
        // A file that has changed is copied again.
        std::fs::write(from.path().join("empty"), "more").unwrap();
        let copied = put_folder(from.path(), &there).unwrap();
        assert_eq!(copied, Copied { files: 1, bytes: 4, left_alone: 2 });
        // So is one that has the same size as before.
        std::fs::write(from.path().join("a b.txt"), "two").unwrap();
        let copied = put_folder(from.path(), &there).unwrap();
        assert_eq!(copied, Copied { files: 1, bytes: 3, left_alone: 2 });
        assert_eq!(there.get("a b.txt").unwrap(), b"two");
        let copied = get_folder(&there, to.path()).unwrap();
        assert_eq!(copied, Copied { files: 2, bytes: 7, left_alone: 1 });
        assert_eq!(std::fs::read(to.path().join("a b.txt")).unwrap(), b"two");
    }

    #[test]
    fn bad_urls_and_missing_files_are_named() {
        for (url, word) in [
            ("nonsense", "write file:///PATH"),
            ("ftp://host/path", "no store for ftp"),
            ("memory:///", "no store for memory"),
        ] {
            let error = open(url).err().map(|error| format!("{error:#}")).unwrap();
            assert!(error.contains(word) && error.contains(url), "{error}");
        }
        #[cfg(not(feature = "s3"))]
        {
            let error = format!("{:#}", open("s3://bucket/run").err().unwrap());
            assert!(error.contains("--features s3"), "{error}");
        }
        let folder = tempfile::tempdir().unwrap();
        let store = open(&url(folder.path())).unwrap();
        let error = format!("{:#}", store.get("missing").unwrap_err());
        assert!(error.contains("missing"), "{error}");
        assert!(put_folder(&folder.path().join("nowhere"), &store).is_err());
    }
}
