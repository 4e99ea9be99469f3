"use strict";
(() => {
  const game = JSON.parse(document.getElementById("game").textContent);
  const { width, height } = game;
  const last = game.boards.length - 1;
  const board = document.getElementById("board");
  const said = document.getElementById("said");
  const choices = document.getElementById("choices");
  const LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
  const BAD = ["mistake", "blunder"];
  let now = 0; // Moves that have been made.
  let line = null; // The candidate whose line is shown.

  const percent = (share, digits = 1) => (100 * share).toFixed(digits) + "\u00a0%";
  const other = (color) => (color === "black" ? "white" : "black");
  const letter = (color) => (color === "black" ? "X" : "O");
  const name = (color) => (color === "black" ? "Black" : "White");
  const element = (tag, text, kind) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  /** The column and row of a move, from the top left; none for a pass. */
  const place = (move) => {
    if (!move || move.toLowerCase() === "pass") return null;
    return [LETTERS.indexOf(move[0].toUpperCase()), height - Number(move.slice(1))];
  };

  /** The columns, or rows, of the star points. */
  const stars = (side) => {
    if (side < 7) return side % 2 ? [(side - 1) / 2] : [];
    const edge = side >= 12 ? 3 : 2;
    return side % 2 && side > 9 ? [edge, (side - 1) / 2, side - 1 - edge] : [edge, side - 1 - edge];
  };

  const grid = () => {
    let out = `<rect class="wood" x="-1.05" y="-.65" width="${width + .7}" height="${height + .7}" rx=".2"/>`;
    let lines = "";
    for (let x = 0; x < width; x++) lines += `M${x} 0V${height - 1}`;
    for (let y = 0; y < height; y++) lines += `M0 ${y}H${width - 1}`;
    out += `<path class="grid" d="${lines}"/>`;
    for (const x of stars(width)) for (const y of stars(height)) out += `<circle class="star" cx="${x}" cy="${y}" r=".11"/>`;
    if (width === 9 && height === 9) out += `<circle class="star" cx="4" cy="4" r=".11"/>`;
    for (let x = 0; x < width; x++) out += `<text class="name" x="${x}" y="${height - .32}">${LETTERS[x]}</text>`;
    for (let y = 0; y < height; y++) out += `<text class="name" x="-.72" y="${y}">${height - y}</text>`;
    return out;
  };
  const empty = grid();

  const drawBoard = () => {
    let out = empty;
    const stones = game.boards[now];
    for (let at = 0; at < stones.length; at++) {
      if (stones[at] === ".") continue;
      out += `<circle class="${stones[at]}" cx="${at % width}" cy="${Math.floor(at / width)}" r=".47"/>`;
    }
    const made = now > 0 ? game.moves[now - 1] : null;
    const at = made && place(made.move);
    if (at) {
      const kind = BAD.includes(made.grade) ? "bad" : `mark ${letter(made.color)}`;
      out += `<circle class="${kind}" cx="${at[0]}" cy="${at[1]}" r="${BAD.includes(made.grade) ? .3 : .16}"/>`;
    }
    if (line) {
      let color = game.to_move[now];
      const seen = new Set();
      line.line.forEach((move, index) => {
        const at = place(move);
        if (at && !seen.has(String(at))) {
          seen.add(String(at));
          const kind = letter(color);
          out += `<circle class="${kind} ghost" cx="${at[0]}" cy="${at[1]}" r=".47"/>`;
          out += `<text class="number ${kind}" x="${at[0]}" y="${at[1]}">${index + 1}</text>`;
        }
        color = other(color);
      });
    } else {
      const best = game.positions[now].moves[0];
      const hint = best && place(best.move);
      if (hint) out += `<circle class="hint" cx="${hint[0]}" cy="${hint[1]}" r=".34"/>`;
    }
    board.innerHTML = `<svg viewBox="-1.05 -.65 ${width + .7} ${height + .7}">${out}</svg>`;
    const where = made ? `after move ${now}, ${name(made.color)} ${made.move}` : "before the first move";
    board.setAttribute("aria-label", `The board ${where}`);
  };

  const say = () => {
    said.replaceChildren();
    const found = game.positions[now];
    const first = element("div");
    if (now === 0) {
      first.append(element("b", "Before the first move"));
    } else {
      const made = game.moves[now - 1];
      first.append(element("span", "", `stone ${made.color}`));
      first.append(element("b", `Move ${now} of ${last}: ${name(made.color)} ${made.move}`));
      if (made.seconds !== null) first.append(` in ${made.seconds} s`);
    }
    said.append(first);
    const value = element("div");
    value.append(`Black wins ${percent(found.rate)}` + (game.scores && found.text ? `, score ${found.text}` : ""));
    said.append(value);
    if (now > 0 && game.moves[now - 1].grade !== "good") {
      const made = game.moves[now - 1];
      const loss = element("div");
      loss.append(element("span", made.grade[0].toUpperCase() + made.grade.slice(1), made.grade));
      loss.append(`: lost ${percent(made.rate)}` + (game.scores && made.points !== null ? ` and ${made.points.toFixed(1)} points` : "") + ". ");
      const better = game.positions[now - 1].moves.find((candidate) => candidate.move !== made.move);
      if (better) {
        const button = element("button", `${better.move} was better`, "go");
        button.type = "button";
        button.onclick = () => go(now - 1, better);
        loss.append(button);
      }
      said.append(loss);
    }
  };

  const offer = () => {
    choices.replaceChildren();
    const found = game.positions[now].moves;
    if (!found.length) return;
    choices.append(element("div", `${name(game.to_move[now])} to move: first choices`, "note"));
    for (const candidate of found.slice(0, 4)) {
      const row = element("button");
      row.type = "button";
      row.setAttribute("aria-pressed", String(line === candidate));
      row.append(element("b", candidate.move));
      row.append(element("span", percent(candidate.rate)));
      row.append(element("span", game.scores && candidate.text ? candidate.text : `${candidate.visits}×`));
      row.append(element("span", candidate.line.slice(1).join(" "), "line"));
      row.onclick = () => go(now, line === candidate ? null : candidate);
      choices.append(row);
    }
  };

  /** Graphs are as wide as their place, so that their letters have one size. */
  const GRAPH = { height: 120, left: 34, right: 8, top: 6, bottom: 18 };
  const across = (wide, at) => GRAPH.left + (wide - GRAPH.left - GRAPH.right) * (last ? at / last : 0);
  const down = (share) => GRAPH.top + (GRAPH.height - GRAPH.top - GRAPH.bottom) * (1 - share);

  const curve = (wide, values, low, high, label) => {
    const share = (value) => (value - low) / (high - low);
    const known = values.map((value, at) => [value, at]).filter(([value]) => value !== null);
    const points = known.map(([value, at]) => `${across(wide, at).toFixed(1)} ${down(share(value)).toFixed(1)}`);
    const middle = down(share((low + high) / 2));
    let out = "";
    for (const value of [low, (low + high) / 2, high]) {
      const y = down(share(value));
      out += `<line class="${value === (low + high) / 2 ? "middle" : "axis"}" x1="${GRAPH.left}" x2="${wide - GRAPH.right}" y1="${y}" y2="${y}"/>`;
      out += `<text x="${GRAPH.left - 5}" y="${y + 4}" text-anchor="end">${label(value)}</text>`;
    }
    if (points.length) {
      const [from, to] = [known[0][1], known[known.length - 1][1]].map((at) => across(wide, at).toFixed(1));
      out += `<path class="fill" d="M${from} ${middle}L${points.join("L")}L${to} ${middle}Z"/>`;
      out += `<path class="curve" d="M${points.join("L")}"/>`;
    }
    game.moves.forEach((made, at) => {
      if (BAD.includes(made.grade) && values[at + 1] !== null) {
        out += `<circle class="${made.grade}" cx="${across(wide, at + 1)}" cy="${down(share(values[at + 1]))}" r="${made.grade === "blunder" ? 4 : 3}"/>`;
      }
    });
    return out;
  };

  const bars = (wide) => {
    const most = Math.max(1, ...game.moves.map((made) => made.seconds ?? 0));
    const each = Math.max(1, (wide - GRAPH.left - GRAPH.right) / Math.max(1, last) - 1);
    let out = "";
    for (const value of [0, most]) {
      const y = down(value / most);
      out += `<line class="axis" x1="${GRAPH.left}" x2="${wide - GRAPH.right}" y1="${y}" y2="${y}"/>`;
      out += `<text x="${GRAPH.left - 5}" y="${y + 4}" text-anchor="end">${Math.round(value)}</text>`;
    }
    game.moves.forEach((made, at) => {
      if (made.seconds === null) return;
      const y = down(made.seconds / most);
      const x = across(wide, at + 1) - each;
      out += `<rect class="took ${made.color}" x="${x.toFixed(1)}" y="${y}" width="${each.toFixed(1)}" height="${Math.max(.5, down(0) - y)}"/>`;
    });
    return out;
  };

  const graph = (kind, wide) => {
    if (kind === "rate") return curve(wide, game.positions.map((found) => found.rate), 0, 1, (value) => `${Math.round(100 * value)}%`);
    if (kind === "time") return bars(wide);
    const scores = game.positions.map((found) => found.score);
    const most = Math.max(5, ...scores.map((score) => Math.abs(score ?? 0)));
    const end = 5 * Math.ceil(most / 5);
    return curve(wide, scores, -end, end, (value) => (value > 0 ? `+${value}` : String(value)));
  };

  const drawGraphs = () => {
    for (const where of document.querySelectorAll("[data-graph]")) {
      const wide = Math.max(200, where.clientWidth);
      let out = graph(where.dataset.graph, wide);
      const step = [5, 10, 20, 50, 100].find((step) => last / step <= 8) ?? 200;
      for (let at = 0; at <= last; at += step) {
        out += `<text x="${across(wide, at)}" y="${GRAPH.height - 4}" text-anchor="middle">${at}</text>`;
      }
      out += `<line class="cursor" y1="${GRAPH.top}" y2="${GRAPH.height - GRAPH.bottom}"/>`;
      where.innerHTML = `<svg viewBox="0 0 ${wide} ${GRAPH.height}" role="img" aria-label="${where.previousElementSibling.textContent}">${out}</svg>`;
    }
    moveCursors();
  };

  const moveCursors = () => {
    for (const where of document.querySelectorAll("[data-graph]")) {
      const cursor = where.querySelector(".cursor");
      const x = across(Math.max(200, where.clientWidth), now);
      if (cursor) { cursor.setAttribute("x1", x); cursor.setAttribute("x2", x); }
    }
  };

  const go = (moves, shown = null) => {
    now = Math.max(0, Math.min(last, moves));
    line = shown;
    drawBoard();
    say();
    offer();
    moveCursors();
  };

  /** The next mistake in a direction, or the end on that side. */
  const mistake = (step) => {
    for (let at = now + step; at >= 1 && at <= last; at += step) {
      if (BAD.includes(game.moves[at - 1].grade)) return at;
    }
    return step > 0 ? last : 0;
  };
  const steps = {
    first: () => 0, last: () => last, "-1": () => now - 1, 1: () => now + 1,
    worse: () => mistake(-1), better: () => mistake(1),
  };
  const keys = { ArrowLeft: "-1", ArrowRight: "1", Home: "first", End: "last", PageUp: "worse", PageDown: "better" };

  document.addEventListener("click", (event) => {
    const step = event.target.closest("[data-step]");
    const jump = event.target.closest("[data-go]");
    if (step) go(steps[step.dataset.step]());
    if (jump) {
      go(Number(jump.dataset.go));
      if (matchMedia("(max-width: 60rem)").matches) board.scrollIntoView({ behavior: "smooth", block: "start" });
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    go(steps[keys[event.key]]());
  });

  let began = null;
  board.addEventListener("touchstart", (event) => { began = event.changedTouches[0]; }, { passive: true });
  board.addEventListener("touchend", (event) => {
    const end = event.changedTouches[0];
    const [x, y] = [end.clientX - began.clientX, end.clientY - began.clientY];
    if (Math.abs(x) > 30 && Math.abs(x) > 2 * Math.abs(y)) go(now + (x < 0 ? 1 : -1));
  });
  board.addEventListener("click", (event) => {
    const box = board.getBoundingClientRect();
    go(now + (event.clientX < box.left + box.width / 2 ? -1 : 1));
  });
  for (const where of document.querySelectorAll("[data-graph]")) {
    const jump = (event) => {
      const box = where.getBoundingClientRect();
      const share = (event.clientX - box.left - GRAPH.left) / (box.width - GRAPH.left - GRAPH.right);
      go(Math.round(share * last));
    };
    where.addEventListener("pointerdown", jump);
    where.addEventListener("pointermove", (event) => { if (event.buttons) jump(event); });
  }

  addEventListener("resize", drawGraphs);
  addEventListener("hashchange", () => go(Number(location.hash.slice(1)) || 0));
  drawGraphs();
  go(Number(location.hash.slice(1)) || 0);
})();
