import type { BadScript } from './bad-scripts.ts';

/** Typical mistakes of models in Python; each script would have an effect before it fails. */
export const badPython: Readonly<Record<string, BadScript>> = {
  'a mistyped tool': {
    code: `tools.write_file(path="a", content="b")\nreturn tools.get_wether(city="Oslo")`,
    line: 2,
    column: 14,
    message: 'There is no tool named "get_wether"',
    suggestion: 'Did you mean tools.get_weather(args)?',
  },
  'a mistyped tool in brackets, in a fence': {
    code: '```python\nissue = tools["github.createIssue"]({"owner": "a", "repo": "b", "title": "ü"})\n```',
    line: 2,
    column: 15,
    message: 'There is no tool named "github.createIssue"',
    suggestion: 'Did you mean tools["github.create_issue"](args)?',
  },
  'a tool by its bare name': {
    code: `tools.get_time()\nreturn get_weather(city="Oslo")`,
    line: 2,
    column: 8,
    message: 'get_weather is not defined: it is a tool',
    suggestion: 'Call it as tools.get_weather(args)',
  },
  'a missing argument': {
    code: `tools.get_time()\ntools.write_file(path="a.txt")`,
    line: 2,
    column: 7,
    message: 'tools.write_file needs the argument "content"',
    suggestion: 'Its arguments are { path, content }',
  },
  'no arguments where some are needed': {
    code: `import asyncio\nawait asyncio.gather(tools.get_weather(), tools.get_time())`,
    line: 2,
    message: 'tools.get_weather needs the argument "city"',
  },
  'several missing arguments of a safe call': {
    code: `r = tools["github.create_issue"].safe(title="x")\nreturn r.status`,
    line: 1,
    message: 'tools["github.create_issue"] needs the arguments "owner" and "repo"',
  },
  'a mistyped argument': {
    code: `tools.get_time()\nreturn tools.get_weather(citty="Oslo")`,
    line: 2,
    column: 26,
    message: 'tools.get_weather has no argument "citty"',
    suggestion: 'Did you mean "city"?',
  },
  'a mistyped argument in a dict': {
    code: `return tools.read_file({"path": "a", "encodng": "utf8"})`,
    line: 1,
    column: 38,
    message: 'tools.read_file has no argument "encodng"',
    suggestion: 'Did you mean "encoding"?',
  },
  'an invented argument of a closed tool': {
    code: `id = 3\nreturn tools.refund_order(id=id, cents=5, currency="EUR")`,
    line: 2,
    message: 'tools.refund_order has no argument "currency"',
    suggestion: 'Its arguments are { id, cents, reason? }',
  },
  'a mistyped argument in a nested dict': {
    code: `return tools.send_mail(to=["a"], subject="b", options={"prioritty": "high"})`,
    line: 1,
    message: 'tools.send_mail has no argument "options.prioritty"',
    suggestion: 'Did you mean "priority"?',
  },
  'a text where a number must be': {
    code: `return tools.refund_order(\n    id=7,\n    cents="100",\n)`,
    line: 3,
    column: 11,
    message: 'tools.refund_order: the argument "cents" must be a whole number',
  },
  'a formatted text where a number must be': {
    code: `cents = f"{100}"\nreturn tools.refund_order(id=7, cents=cents)`,
    line: 2,
    message: 'tools.refund_order: the argument "cents" must be a whole number',
  },
  'a text where a list must be': {
    code: `return tools.send_mail(to="ada@example.test", subject="Hi")`,
    line: 1,
    message: 'tools.send_mail: the argument "to" must be a list',
  },
  'a number in a list of texts': {
    code: `return tools.send_mail(to=["ada@example.test", 5], subject="Hi")`,
    line: 1,
    message: 'tools.send_mail: the argument "to[1]" must be text',
  },
  'None for a text': {
    code: `return tools.get_weather(city=None)`,
    line: 1,
    message: 'tools.get_weather: the argument "city" must be text',
  },
  'a value that is not among the allowed ones': {
    code: `unit = "Celsius"\nreturn tools.get_weather(city="Oslo", unit=unit)`,
    line: 2,
    column: 44,
    message: 'tools.get_weather: the argument "unit" must be "C" or "F"',
  },
  'positional arguments': {
    code: `tools.get_time()\nreturn tools.get_weather("Oslo", "C")`,
    line: 2,
    message: 'tools.get_weather takes named arguments, or one dict of them',
    suggestion: 'Its arguments are { city, unit? }',
  },
  'a text in place of arguments': {
    code: `return tools.get_weather("Oslo")`,
    line: 1,
    message: 'tools.get_weather takes named arguments, or one dict of them',
  },
  'a mistyped key of a result': {
    code: `weather = tools.get_weather(city="Oslo")\ntools.write_file(path="a", content=str(weather["degree"]))`,
    line: 2,
    column: 48,
    message: 'The value has no property "degree"',
    suggestion: 'Did you mean "degrees"?',
  },
  'a key as an attribute': {
    code: `weather = tools.get_weather(city="Oslo")\ntools.write_file(path="a", content=str(weather.degrees))`,
    line: 2,
    column: 48,
    message: 'The value is a dict, which has no attribute "degrees"',
    suggestion: 'Read it as ["degrees"]',
  },
  'a mistyped key of the items of a list': {
    code: `tools.get_time()\nreturn [order["cent"] for order in tools.list_orders()]`,
    line: 2,
    message: 'The value has no property "cent"',
    suggestion: 'Did you mean "cents"?',
  },
  'an invented key of a strict result': {
    code: `result = tools.search_issues(query="x")\nfor issue in result["items"]:\n    if issue["priority"] > 1:\n        tools.get_time()`,
    line: 3,
    message: 'The value has no property "priority"',
    suggestion: 'It has number, title, state, user, labels, created_at',
  },
  'a mistyped key of a gathered result': {
    code: `import asyncio\nweather, time = await asyncio.gather(tools.get_weather(city="Oslo"), tools.get_time())\nreturn weather["degres"]`,
    line: 3,
    message: 'The value has no property "degres"',
    suggestion: 'Did you mean "degrees"?',
  },
};
