// Drives the engine with Sabaki's own GTP library, in the way that Sabaki does: connect, sync,
// moves, going back, interruptions, quit. Usage: node session.mjs PROGRAM
import assert from 'node:assert/strict'
import {setTimeout as sleep} from 'node:timers/promises'
import gtp from '@sabaki/gtp'

const program = process.argv[2]
const vertex = /^[A-HJ][1-9]$/

/** An engine with Sabaki's tracker, and a list of all that is sent to it. */
async function connect(...settings) {
  const controller = new gtp.Controller(program, settings.flatMap(pair => ['--set', pair]))
  const tracker = new gtp.ControllerStateTracker(controller)
  const sent = []
  const stderr = []
  controller.on('command-sent', ({command}) => sent.push([command.name, ...command.args].join(' ')))
  controller.on('stderr', ({content}) => stderr.push(content))
  controller.start()
  // Sabaki does not wait between these.
  const [name, version, protocol, list] = await Promise.all(
    ['name', 'version', 'protocol_version', 'list_commands'].map(name =>
      controller.sendCommand({name})
    )
  )
  assert.deepEqual(name, {id: null, content: 'Tedomari', error: false})
  assert.match(version.content, /^\d+\.\d+\.\d+$/)
  assert.equal(protocol.content, '2')
  for (const command of ['genmove', 'undo', 'set_free_handicap', 'rectangular_boardsize']) {
    assert.ok(list.content.split('\n').includes(command), command)
  }
  return {controller, tracker, sent, stderr}
}

/** Says quit; the program must end by itself, without an error and without a word on stderr. */
async function disconnect({controller, stderr}) {
  const stopped = new Promise(resolve => controller.once('stopped', resolve))
  await controller.stop()
  assert.equal((await stopped).signal, 0)
  assert.deepEqual(stderr, [])
}

const play = (color, vertex) => ({name: 'play', args: [color, vertex]})

/** Syncs, and returns what was sent for it. */
async function sync({tracker, sent}, state) {
  const before = sent.length
  await tracker.sync(state)
  return sent.slice(before)
}

/** The rows of the board. */
async function board({controller}) {
  const {content} = await controller.sendCommand({name: 'gogui-rules_board'})
  return content.split('\n').map(row => row.replaceAll(' ', ''))
}

async function games() {
  const engine = await connect('search.max_simulations=50')
  const {controller, tracker} = engine
  const state = {komi: 6.5, boardsize: [9, 9]}
  const history = [play('B', 'E5'), play('W', 'C3'), play('B', 'G3'), play('W', 'pass')]

  assert.deepEqual(await sync(engine, {...state, history}), [
    'komi 6.5', 'boardsize 9', 'clear_board', 'play B E5', 'play W C3', 'play B G3', 'play W pass'
  ])
  assert.equal((await board(engine))[4], '....X....')

  // A move by the engine, and one by the user.
  const {content: move, error} = await tracker.queueCommand({name: 'genmove', args: ['B']})
  assert.ok(!error)
  assert.match(move, vertex)
  const longer = [...history, play('B', move), play('W', 'pass')]
  assert.deepEqual(await sync(engine, {...state, history: longer}), ['play W pass'])

  // A few moves back, then another branch, then another game.
  assert.deepEqual(await sync(engine, {...state, history}), ['undo', 'undo'])
  const branch = [...history.slice(0, 3), play('W', 'G7')]
  assert.deepEqual(await sync(engine, {...state, history: branch}), ['undo', 'play W G7'])
  assert.deepEqual((await board(engine)).slice(2, 7), [
    '......O..', '.........', '....X....', '.........', '..O...X..'
  ])
  const other = [{name: 'set_free_handicap', args: ['C3', 'G7']}, play('W', 'E5')]
  assert.deepEqual(await sync(engine, {...state, komi: 0.5, history: other}), [
    'komi 0.5', 'clear_board', 'set_free_handicap C3 G7', 'play W E5'
  ])

  // A clock, and a board that is not square.
  const timeSettings = {mainTime: 0, byoyomiTime: 5, byoyomiStones: 1}
  const edge = [play('B', 'J7')]
  assert.deepEqual(await sync(engine, {boardsize: [9, 7], timeSettings, history: edge}), [
    'rectangular_boardsize 9 7', 'time_settings 0 5 1', 'clear_board', 'play B J7'
  ])
  assert.equal((await board(engine))[0], '........X')

  // A game that cannot be is refused, and the next one is played as if nothing had happened.
  const illegal = [play('B', 'A1'), play('W', 'A1')]
  await assert.rejects(sync(engine, {...state, history: illegal}), /cannot be replayed/)
  await sync(engine, {...state, history})
  assert.equal((await board(engine))[4], '....X....')

  // A move with reports: the last line is the move.
  const {content} = await controller.sendCommand({name: 'genmove_analyze', args: ['B', '50']})
  assert.match(content.split('\n').at(-1), /^play [A-HJ][1-9]$/)

  // Commands that the engine does not know.
  const unknown = await controller.sendCommand({name: 'heatmap', args: ['B']})
  assert.deepEqual(unknown, {id: null, content: 'unknown command', error: true})
  await disconnect(engine)
}

async function interruptions() {
  const engine = await connect('time.seconds_per_move=600')
  const {controller} = engine

  // Sabaki asks for the version of the protocol while the engine is busy: answers keep their order.
  const order = []
  const note = name => ({content}) => order.push([name, content])
  const genmove = controller.sendCommand({name: 'genmove', args: ['B']}).then(note('genmove'))
  await sleep(100)
  assert.ok(controller.busy)
  const version = controller.sendCommand({name: 'protocol_version'}).then(note('version'))
  // A comment as GoGui writes it brings the move at once.
  controller.process.stdin.write('# interrupt\n')
  await Promise.all([genmove, version])
  assert.deepEqual(order.map(([name]) => name), ['genmove', 'version'])
  assert.match(order[0][1], vertex)
  assert.equal(order[1][1], '2')
  assert.ok(!controller.busy)

  // Quit while the engine thinks: the move comes first, and soon. A quit within half a second of the command
  // would be the end of a script.
  const last = controller.sendCommand({name: 'genmove', args: ['W']})
  await sleep(700)
  await disconnect(engine)
  assert.match((await last).content, vertex)
}

/**
 * Sabaki's loop: an analysis runs, something else is wanted, which is sent while the engine is busy
 * and ends the analysis, and an analysis of what is then on the board begins.
 */
async function analyses(cycles) {
  const engine = await connect()
  const {controller, tracker} = engine
  const state = {komi: 6.5, boardsize: [9, 9]}
  await sync(engine, {...state, history: []})
  const ended = []
  let history = []
  for (let cycle = 0; cycle < cycles; cycle++) {
    const color = history.length % 2 === 0 ? 'B' : 'W'
    const lines = []
    let response
    // The first report is waited for, as a user would.
    await new Promise(resolve => {
      response = controller.sendCommand({name: 'analyze', args: [color, '1']}, ({line}) => {
        lines.push(line)
        if (line.startsWith('info ')) resolve()
      })
    })
    assert.ok(controller.busy)
    const over = response.then(({error}) => ended.push([cycle, error]))
    if (cycle % 3 === 0) {
      const version = await controller.sendCommand({name: 'protocol_version'})
      assert.equal(version.content, '2')
    } else {
      const abort = controller.sendCommand({name: 'protocol_version'})
      const best = lines.find(line => line.startsWith('info ')).match(/^info move ([A-HJ]\d)/)
      history = best && history.length < 30 ? [...history, play(color, best[1])] : []
      await sync(engine, {...state, history})
      assert.equal((await abort).content, '2')
    }
    await over
    // Every report is one that Sabaki can read.
    for (const line of lines.filter(line => line.startsWith('info '))) {
      for (const info of line.split(/\s*info\s+/).slice(1)) {
        assert.match(info, /^move (pass|[A-HJ]\d) visits \d+ .* winrate [01]\.\d+ .* pv (pass|[A-HJ]\d)( |$)/)
      }
    }
  }
  assert.deepEqual(ended, Array.from({length: cycles}, (_, cycle) => [cycle, false]))
  assert.ok(!controller.busy)
  await disconnect(engine)
}

await games()
await interruptions()
await analyses(500)
console.log('done')
