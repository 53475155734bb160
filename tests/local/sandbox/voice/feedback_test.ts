import assert from "node:assert/strict";
import { withTempFolder } from "../../../setup/temp_folder.ts";
import { OTHER_API_KEY, withVoice } from "./with_voice.ts";

Deno.test("POST conversations/{id}/feedback is kept with a phone call, also when the sandbox starts again", () =>
  withTempFolder(async (directory) => {
    let path = "";
    await withVoice(async ({ dial, call }) => {
      path = `/v1/convai/conversations/${(await dial()).body.conversation_id}`;
      const given = [{ feedback: "like" }, { feedback: "like" }, { rating: 4, comment: "Quick" }];
      for (const body of given) {
        const answer = await call("POST", `${path}/feedback`, { body });
        assert.deepEqual([answer.status, answer.body], [200, {}]);
      }
    }, { directory });

    await withVoice(async ({ call }) => {
      const { metadata } = (await call("GET", path)).body;
      assert.deepEqual(metadata.feedback, {
        type: "rating",
        rating: 4,
        comment: "Quick",
        overall_score: null,
        likes: 2,
        dislikes: 0,
      });
    }, { directory });
  }));

Deno.test("POST conversations/{id}/feedback refuses another key, an unknown call and a body that says nothing", () =>
  withVoice(async ({ dial, call }) => {
    const id = (await dial()).body.conversation_id;
    const post = (conversation: string, body: unknown, key?: string) =>
      call("POST", `/v1/convai/conversations/${conversation}/feedback`, { body, ...(key && { key }) });

    const answers = [
      await post(id, { feedback: "like" }, OTHER_API_KEY),
      await post("conv_none", { feedback: "like" }),
      await post(id, { feedback: "love" }),
      await post(id, { feedback: "like" }, "wrong"),
    ];

    assert.deepEqual(answers.map(({ status }) => status), [404, 404, 422, 401]);
  }));
