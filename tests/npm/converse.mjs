// One client of the TypeScript SDK, led by lines: each line in is a call, each line out its result.
// The first line out is the list of tools. Arguments: which SDK, then the server's command.
import { createInterface } from "node:readline";

const [sdk, command, ...args] = process.argv.slice(2);
const [{ Client }, { StdioClientTransport }] = await Promise.all(
  sdk === "v1"
    ? [
        import("@modelcontextprotocol/sdk/client/index.js"),
        import("@modelcontextprotocol/sdk/client/stdio.js"),
      ]
    : [import("@modelcontextprotocol/client"), import("@modelcontextprotocol/client/stdio")],
);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const client = new Client({ name: "tests", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
say(await client.listTools());
for await (const line of createInterface({ input: process.stdin })) {
  // One contract has errors of the protocol for its failures.
  const failed = (error) => ({ isError: true, content: [{ type: "text", text: error.message }] });
  say(await client.callTool(JSON.parse(line)).catch(failed));
}
await client.close();
