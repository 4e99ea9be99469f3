// Reads a record with Sabaki's library and tells of its main line, one JSON object a line.
import sgf from "@sabaki/sgf";

const [root] = sgf.parseFile(process.argv[2]);
for (let node = root; node; node = node.children[0]) {
  console.log(JSON.stringify({ data: node.data, children: node.children.length }));
}
