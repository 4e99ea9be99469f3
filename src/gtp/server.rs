//! A session over two streams of bytes.
//!
//! One future reads ahead, so that an interruption, `quit` or the end of the input is seen while
//! the engine thinks, and any line while it analyses; another answers in order, in pieces where a
//! command gives them. The engine has its own thread, which never waits for the client.

use std::cell::Cell;
use std::future::{self, Future};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::sleep;
use tracing::{debug, error};

use super::line::{Line, Request, read_line};
use super::output::Piece;
use super::response::{Response, clean};
use super::session::Session;
use crate::engine::{Handle, ThreadGone, Tickets};

/// Bytes of the longest line.
pub const MAX_LINE: usize = 64 << 10;

/// Bytes of requests that may wait for their turn; a client that sends more has to wait.
const MAX_WAITING: usize = 4 << 20;

/// Pieces of an answer that may wait for the client; when there are more, the newest are lost.
const MAX_PIECES: usize = 8;

/// A `quit` or an end of the input that comes within this time of a command's start belongs to a
/// script, which is carried out in full.
pub(super) const SCRIPT_MOMENT: Duration = Duration::from_millis(500);

/// How long searches may go on after a `quit` or an end of the input that came while they ran.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long answers may wait for a reader after the last line of the input.
const UNREAD: Duration = Duration::from_secs(5);

/// A conversation broke down.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client cannot be reached any more.
    #[error("cannot write an answer: {0}")]
    Output(io::Error),
    /// The input has ended, and nobody reads the answers.
    #[error("nobody has read the answers for {} seconds after the end of the input", UNREAD.as_secs())]
    Unread,
    /// The engine's thread could not be started.
    #[error("cannot start the engine's thread: {0}")]
    Thread(io::Error),
    /// The engine's thread has died.
    #[error(transparent)]
    Engine(#[from] ThreadGone),
}

/// A request on its way from the reader to the engine.
struct Incoming {
    what: What,
    number: u64,
    /// Gives the space back when the request has been answered.
    _space: OwnedSemaphorePermit,
}

enum What {
    Request(Request),
    /// A line that was too long, with its number if it had one.
    TooLong(Option<u32>),
}

/// Whether a command is being carried out that was begun longer than [`SCRIPT_MOMENT`] ago.
type Thinking = Cell<bool>;

/// Answers requests until `quit`, the end of the input, a broken output, or `shutdown`.
///
/// A `quit` or an end of the input that comes while a command has been going on for longer than
/// half a second ends it and those that wait. One that comes sooner is the end of a script.
pub async fn serve(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    session: Session,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let tickets = Tickets::default();
    let engine =
        Handle::spawn_with_idle("engine", session, Session::ponder).map_err(ServeError::Thread)?;
    let (sender, receiver) = mpsc::unbounded_channel();
    let thinking = Thinking::default();
    let (ended, end) = watch::channel(false);
    let reading = async {
        read_requests(BufReader::new(input), sender, &tickets).await;
        let _ = ended.send(true);
        if thinking.get() {
            sleep(LAST_WORDS).await;
            tickets.cancel_all();
        }
        future::pending::<()>().await;
    };
    tokio::select! {
        result = answer_requests(receiver, Writer { output, end }, &engine, &tickets, &thinking) => {
            result
        }
        () = reading => Ok(()),
        () = shutdown => {
            tickets.cancel_all();
            Ok(())
        }
    }
}

/// Reads lines until there are no more or one says `quit`.
async fn read_requests(
    mut input: impl AsyncBufRead + Unpin,
    sender: mpsc::UnboundedSender<Incoming>,
    tickets: &Tickets,
) {
    let space = Arc::new(Semaphore::new(MAX_WAITING));
    let mut number = 0;
    let mut bytes = Vec::new();
    loop {
        let length = match next_line(&mut input, &mut bytes).await {
            Ok(Some(length)) => length,
            Ok(None) => break,
            Err(error) => {
                error!(%error, "cannot read the input");
                break;
            }
        };
        // Whatever it says, a line ends the analyses that were asked for before it.
        tickets.announce(number);
        let line = read_line(&bytes);
        let what = match line {
            _ if length > MAX_LINE => What::TooLong(match line {
                Line::Request(request) => request.id,
                _ => None,
            }),
            Line::Nothing => continue,
            Line::Interrupt => {
                tickets.cancel_below(number);
                continue;
            }
            Line::Request(request) => {
                if Session::stops(&request) {
                    tickets.cancel_below(number);
                }
                What::Request(request)
            }
        };
        let last = matches!(&what, What::Request(request) if Session::ends_with(request));
        // A word costs more memory than its bytes.
        let cost = u32::try_from(32 * bytes.len().min(MAX_LINE)).unwrap_or(u32::MAX);
        let Ok(permit) = Arc::clone(&space).acquire_many_owned(cost).await else { return };
        if sender.send(Incoming { what, number, _space: permit }).is_err() || last {
            return;
        }
        number += 1;
    }
    tickets.announce(number);
}

/// Reads up to the next end of line into `bytes`, of which at most [`MAX_LINE`] are kept. Returns
/// the length of the line, or none at the end of the input.
async fn next_line(
    input: &mut (impl AsyncBufRead + Unpin),
    bytes: &mut Vec<u8>,
) -> io::Result<Option<usize>> {
    bytes.clear();
    let mut length = 0;
    loop {
        let available = input.fill_buf().await?;
        if available.is_empty() {
            return Ok((length > 0).then_some(length));
        }
        let end = available.iter().position(|&byte| byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        let room = MAX_LINE.saturating_sub(bytes.len()).min(part.len());
        bytes.extend_from_slice(&part[..room]);
        length += part.len();
        let used = end.map_or(available.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(Some(length));
        }
    }
}

/// Answers requests in their order.
async fn answer_requests(
    mut receiver: mpsc::UnboundedReceiver<Incoming>,
    mut output: Writer<impl AsyncWrite + Unpin>,
    engine: &Handle<Session>,
    tickets: &Tickets,
    thinking: &Thinking,
) -> Result<(), ServeError> {
    while let Some(incoming) = receiver.recv().await {
        match incoming.what {
            What::Request(request) => {
                debug!(?request, "asked");
                let (id, last) = (request.id, Session::ends_with(&request));
                let ticket = tickets.ticket(incoming.number);
                let (mut sender, pieces) = mpsc::channel(MAX_PIECES);
                let answer = engine
                    .call(move |session| session.answer_in_pieces(&request, &ticket, &mut sender));
                write_answer(&mut output, id, watched(answer, thinking), pieces).await?;
                if last {
                    break;
                }
            }
            What::TooLong(id) => {
                let text = Err(format!("the line is longer than {MAX_LINE} bytes"));
                output.write_all(&Response { id, text }.to_string()).await?;
            }
        }
    }
    Ok(())
}

/// Waits for an answer, and notes when it takes longer than [`SCRIPT_MOMENT`].
async fn watched<T>(answer: impl Future<Output = T>, thinking: &Thinking) -> T {
    tokio::pin!(answer);
    tokio::select! {
        biased;
        answer = &mut answer => return answer,
        () = sleep(SCRIPT_MOMENT) => thinking.set(true),
    }
    let answer = answer.await;
    thinking.set(false);
    answer
}

/// Writes the pieces of an answer as they come, and then its rest.
async fn write_answer(
    output: &mut Writer<impl AsyncWrite + Unpin>,
    id: Option<u32>,
    answer: impl Future<Output = Result<Response, ThreadGone>>,
    mut pieces: mpsc::Receiver<Piece>,
) -> Result<(), ServeError> {
    tokio::pin!(answer);
    let mut begun = false;
    let rest = loop {
        tokio::select! {
            biased;
            // When no more pieces can come, only the answer is waited for.
            Some(piece) = pieces.recv() => begun |= write_piece(output, id, piece).await?,
            rest = &mut answer => break rest?,
        }
    };
    while let Ok(piece) = pieces.try_recv() {
        begun |= write_piece(output, id, piece).await?;
    }
    debug!(?rest, "answered");
    let text = if begun { rest.ending() } else { rest.to_string() };
    output.write_all(&text).await
}

/// Writes a piece, and says that the answer has begun.
async fn write_piece(
    output: &mut Writer<impl AsyncWrite + Unpin>,
    id: Option<u32>,
    piece: Piece,
) -> Result<bool, ServeError> {
    let text = match piece {
        Piece::Begin => Response::beginning(id),
        Piece::Line(line) => clean(&line) + "\n",
    };
    output.write_all(&text).await?;
    Ok(true)
}

/// Where the answers go.
struct Writer<W> {
    output: W,
    /// Whether the input has ended.
    end: watch::Receiver<bool>,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    /// Writes a text, which may wait for a reader as long as the input goes on.
    async fn write_all(&mut self, text: &str) -> Result<(), ServeError> {
        let Self { output, end } = self;
        let write = async {
            output.write_all(text.as_bytes()).await.map_err(ServeError::Output)?;
            output.flush().await.map_err(ServeError::Output)
        };
        let unread = async {
            // The sender lives as long as the conversation.
            let _ = end.wait_for(|ended| *ended).await;
            sleep(UNREAD).await;
        };
        tokio::select! {
            biased;
            written = write => written,
            () = unread => Err(ServeError::Unread),
        }
    }
}
