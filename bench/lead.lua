-- SPDX-License-Identifier: MIT
-- Requests of wrk, and checks of the answers. One thread. Arguments: name=value words; see harness/client.py.

local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds, nanoseconds; } bench_time; int clock_gettime(int, bench_time *);")

local KINDS = {}
local options = {}
-- The others are text, even when they look like numbers, as social ids may.
local NUMBERS = {addresses = true, also = true, campaigns = true, first_address = true, first_campaign = true, first_lead = true, leads = true, pace = true, random = true, start = true, status = true}
local count, answers, flood = 0, 0, nil
local SAMPLE = 16 -- the body of every 16th answer is checked, too
local MONOTONIC = 1
local time = ffi.new("bench_time")

local format, find = string.format, string.find

local function now_ns()
	ffi.C.clock_gettime(MONOTONIC, time)
	return tonumber(time.seconds) * 1e9 + tonumber(time.nanoseconds)
end

function setup(thread)
	THREAD = thread
end

local function campaign(n)
	return options.first_campaign + n % options.campaigns
end

-- Without a key the header is omitted.
local function authorization()
	return options.key == "" and "" or format("Authorization: Bearer %s\r\n", options.key)
end

local function post(n, email, more)
	local body = format('{"email":"%s","first_name":"Ada","last_name":"Lovelace","plan":"pro","utm_source":"news",' ..
		'"utm_campaign":"launch","ip":"203.0.113.%d"%s}', email, n % 250 + 1, more)
	return format("POST %s HTTP/1.1\r\nHost: bench\r\n%sContent-Type: application/json\r\n" ..
		"Content-Length: %d\r\n\r\n%s", format(options.path, campaign(n)), authorization(), #body, body)
end

local function get(query)
	return format("GET %s%s HTTP/1.1\r\nHost: bench\r\n%s\r\n",
		format(options.path, options.first_campaign), query, authorization())
end

local function email(n)
	return format("u%d-%s@bench.example", n, options.seed)
end

-- New leads; with a referrer, every tenth lead is referred.
function KINDS.create(n)
	local more = options.referrer and n % 10 == 0 and format(',"kid":"%s"', options.referrer) or ""
	return post(n, email(n), more)
end

-- The first `leads` of them repeatedly.
KINDS["repeat"] = function(n)
	return KINDS.create(n % options.leads)
end

-- The addresses contain the time of sending, which bench/receiver.c reads.
function KINDS.steady(n)
	return post(n, format("t%.0f-%d-%s@bench.example", now_ns(), n, options.seed), "")
end

-- Random leads of harness/sets.py. Order and repetitions do not matter, because all are in memory.
local function any_social_id()
	return format("%010X", options.first_lead + math.random(options.leads))
end

function KINDS.lookup()
	return get(format("?email=u%d@bench.example", math.random(options.leads)))
end

function KINDS.leaderboard()
	return get("/leaderboard?limit=50&social_id=" .. any_social_id())
end

KINDS["last-page"] = function()
	return get(format("/leads?cursor=%d", options.leads - 50))
end

KINDS["no-match-page"] = function()
	return get("/leads?opted_out=true")
end

-- Points for many leads of harness/noisy.py: a flood.
function KINDS.points()
	if not flood then
		local emails = {}
		for i = 1, options.leads do
			emails[i] = format('"flood%d@bench.example"', i)
		end
		local body = format('{"points":1,"emails":[%s]}', table.concat(emails, ","))
		flood = format("POST %s/points HTTP/1.1\r\nHost: bench\r\n%sContent-Type: application/json\r\n" ..
			"Content-Length: %d\r\n\r\n%s", format(options.path, options.first_campaign), authorization(), #body, body)
	end
	return flood
end

-- Guesses of passwords, of `addresses` clients in turn; first_address: that of the first one.
function KINDS.guess(n)
	local client = options.first_address + n % options.addresses
	local body = format('{"email":"user%d@bench.example","password":"guess number %d"}', n % 1000, n)
	return format("POST /manage/v1/session HTTP/1.1\r\nHost: bench\r\nX-Forwarded-For: 198.%d.%d.%d\r\nSec-Fetch-Site: same-origin\r\n" ..
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", 18 + math.floor(client / 65536), math.floor(client / 256) % 256, client % 256, #body, body)
end

-- Look-ups and sign-ups of one address.
function KINDS.limited(n)
	return n % 2 == 0 and get(format("?email=u%d@bench.example", n)) or KINDS.create(n)
end

function KINDS.stats()
	return get("/stats")
end

-- With `pace`, that many requests a second over all connections. next_ns is the time of the next one.
local next_ns = 0

local function pause_ms()
	local now = now_ns()
	next_ns = math.max(next_ns + 1e9 / options.pace, now)
	return math.floor((next_ns - now) / 1e6 + 0.5)
end

function init(words)
	for _, word in ipairs(words) do
		local name, value = word:match("^(%w[%w_]*)=(.*)$")
		options[name] = NUMBERS[name] and tonumber(value) or value
	end
	count = options.start
	math.randomseed(options.random)
	make = KINDS[options.kind]
	if options.pace then
		delay = pause_ms
	end
end

function request()
	local text = make(count)
	count = count + 1
	return text
end

function response(status, headers, body)
	answers = answers + 1
	if status == options.also then
		return
	end
	if status == options.status and (answers % SAMPLE ~= 0 or find(body, options.expect, 1, true)) then
		return
	end
	-- Globals, because done() runs in another Lua state.
	wrong_answers = (wrong_answers or 0) + 1
	wrong_example = wrong_example or format("%d %s", status, body:sub(1, 300))
end

function done(summary, latency, requests)
	local errors = summary.errors
	io.write(format("\nRESULT requests=%d microseconds=%d bytes=%d p50=%d p99=%d max=%d wrong=%d broken=%d\n", summary.requests,
		summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99), latency.max,
		THREAD:get("wrong_answers") or 0, errors.connect + errors.read + errors.write + errors.timeout))
	io.write(format("EXAMPLE %s\n", (THREAD:get("wrong_example") or ""):gsub("%c", " ")))
end
