# SPDX-License-Identifier: MIT
"""docs/deliveries.md 5: names may resolve to any address, and to a different one each time.

The dispatcher runs in a network namespace in which every address accepts connections, so that all dialled addresses are recorded.
"""
import private_network
import pytest
from attempts import add_webhook, attempt_each, attempts
from dns_server import CUT, FAILURE, SILENCE
from stack.front import free_port
from stack.process import run, wait_until

PUBLIC, PUBLIC_2, PUBLIC_6 = "8.8.8.8", "9.9.9.9", "2606:4700::1111"
CONNECT_S, LATE_S = 1, 4
RESOLVER = "RES_OPTIONS=timeout:20 attempts:1"  # a resolver that never answers must not end by its own timeout


@pytest.fixture(scope="module")
def network(make_folder):
    reason = private_network.why_not()
    if reason:
        pytest.skip(reason)
    network = private_network.PrivateNetwork(make_folder())
    yield network
    network.close()


@pytest.fixture(scope="module")
def service(make_service, network):
    service = make_service(settings=[("dispatch", "allow_networks", ""), ("dispatch", "connect_timeout", f"{CONNECT_S}s"),
                                     ("dispatch", "attempt_timeout", "3s"), ("dispatch", "schedule", ""),
                                     ("limits", "webhooks_per_campaign", 100)])
    service.dispatcher.argv = network.wrap(["env", RESOLVER, *service.dispatcher.argv])
    return service


@pytest.fixture(scope="module")
def dispatch(service, network):
    """Run the dispatcher in the network, as cron does, so that each run resolves all names again."""
    command = [service.installation.program("leadhook-dispatch"), "--config", service.installation.config, "--max-runtime", "10"]
    return lambda: run("leadhook-dispatch", network.wrap(command))


@pytest.fixture
def world(network):
    network.world.clear()
    return network.world


def url(world, name):
    return f"http://{name}:{world.port}/{name}"


FORBIDDEN = [
    "127.0.0.1", "127.53.53.53", "0.0.0.0", "0.0.0.1", "10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "100.100.100.200", "192.0.0.170", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
    "168.63.129.16", "192.88.99.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    "::1", "::", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808", "2002:7f00:1::1", "2002:a00:1::1", "2001:0:808:808::80ff:fffe",
    "fe80::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "100::1", "2001:db8::1", "2001:2::1", "3fff::1", "5f00::1",
]
ALLOWED = [PUBLIC, PUBLIC_6, "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]


@pytest.fixture(scope="module")
def dialled(service, account, network, dispatch):
    """Make one attempt at a name for each address. Return (attempts by address, dialled addresses)."""
    names = {address: f"a{number}.names.example" for number, address in enumerate(FORBIDDEN + ALLOWED)}
    for address, name in names.items():
        network.resolver.script(name, [address])
    network.world.clear()
    campaign = service.campaign(account)
    webhooks = attempt_each(campaign, {address: url(network.world, name) for address, name in names.items()}, dispatch)
    return {address: attempts(service, webhook) for address, webhook in webhooks.items()}, network.world.dialled


@pytest.mark.parametrize("address", FORBIDDEN)
def test_name_with_a_forbidden_address(dialled, address):
    """no address is dialled, and the attempt shows the reason"""
    by_address, _ = dialled
    [attempt] = by_address[address]
    assert (attempt.error, attempt.status, attempt.delivered) == ("forbidden_address", None, False)


def test_dialled_addresses(dialled):
    by_address, addresses = dialled
    assert {address: [attempt.delivered for attempt in by_address[address]] for address in ALLOWED} == \
        {address: [True] for address in ALLOWED}
    assert addresses == {PUBLIC, PUBLIC_6, "64:ff9b::808:808", "2002:808:808::1"}


@pytest.fixture
def attempt(service, account, network, dispatch):
    """Make one attempt at a name, in a process of its own."""
    def make(name):
        campaign = service.campaign(account)
        webhooks = attempt_each(campaign, {name: url(network.world, name)}, dispatch)
        [made] = attempts(service, webhooks[name])
        return made
    return make


@pytest.mark.parametrize("addresses", [
    ["127.0.0.1", PUBLIC], [PUBLIC, "127.0.0.1"], ["10.0.0.1", PUBLIC, PUBLIC_2], [PUBLIC, "169.254.169.254", PUBLIC_2],
    ["::1", PUBLIC], [PUBLIC, "::1"], ["127.0.0.1", PUBLIC_6], [PUBLIC_6, "127.0.0.1"], ["::ffff:127.0.0.1", PUBLIC],
    ["64:ff9b::7f00:1", PUBLIC_6], [PUBLIC_6, "64:ff9b::7f00:1"]], ids="+".join)
def test_mixed_answers(network, world, attempt, addresses):
    """no forbidden address is dialled, whatever the order; deliveries reach an allowed address that precedes it"""
    network.resolver.script("mixed.example", addresses)
    made = attempt("mixed.example")
    allowed = set(addresses) & {PUBLIC, PUBLIC_2, PUBLIC_6}
    assert world.dialled <= allowed
    assert (made.error, made.delivered) == (("forbidden_address", False) if not world.posted else (None, True))


@pytest.mark.parametrize("forbidden", ["127.0.0.1", "10.0.0.1"])
def test_refusing_address_before_a_forbidden_one(network, world, service, account, dispatch, forbidden):
    """a forbidden address ends the attempt, and no further address is dialled"""
    network.resolver.script("refusing.example", [PUBLIC, forbidden, PUBLIC_2])
    closed = network.inside(free_port)
    campaign = service.campaign(account)
    webhooks = attempt_each(campaign, {0: f"http://refusing.example:{closed}/"}, dispatch)
    [made] = attempts(service, webhooks[0])
    assert made.error == "forbidden_address"


@pytest.mark.parametrize("before, after, delivered", [
    ([PUBLIC], ["127.0.0.1"], [True, False]), (["127.0.0.1"], [PUBLIC], [False, True]),
    ([PUBLIC_6], ["::1"], [True, False]), (["internal.names.example"], [PUBLIC], [False, True])],
    ids=lambda value: "+".join(map(str, value)))
def test_a_name_that_changes(network, world, attempt, before, after, delivered):
    """rebinding: each look-up is checked anew"""
    network.resolver.script("internal.names.example", ["10.0.0.1"])
    network.resolver.script("changing.example", before, after)
    made = [attempt("changing.example") for _ in range(2)]
    assert [one.delivered for one in made] == delivered
    assert [one.error for one in made] == [None if good else "forbidden_address" for good in delivered]
    assert world.dialled <= {PUBLIC, PUBLIC_6} and len(world.posted) == 1
    assert network.resolver.lookups["changing.example"] == 2


@pytest.mark.parametrize("look", [[], FAILURE, ["gone.names.example"], ["nowhere.example"], CUT],
                         ids=["no address", "failure", "alias of nothing", "alias of itself", "cut"])
def test_names_without_an_address(network, world, attempt, look):
    """docs/deliveries.md 3 DNS: these names are reported as such, in time"""
    network.resolver.script("nowhere.example", look)
    made = attempt("nowhere.example")
    assert made.error in ("not_resolved", "connect_timeout") and made.seconds < CONNECT_S + LATE_S
    assert world.dialled == set()


@pytest.fixture
def dispatcher(service):
    service.dispatcher.start()
    yield service.dispatcher
    service.dispatcher.kill()


SILENT = 8  # deliveries to names that never answer


def test_a_name_that_never_answers(network, world, service, account, dispatcher):
    """docs/deliveries.md 4 Fairness: others are not delayed, and the attempt ends in time; 6 TERM: the dispatcher ends without waiting for
    it"""
    silent, other = service.campaign(account), service.campaign(account)
    network.resolver.script("other.example", [PUBLIC])
    webhooks = []
    for number in range(SILENT):
        network.resolver.script(f"silent{number}.example", SILENCE)
        webhooks.append(add_webhook(silent, url(world, f"silent{number}.example")))
    add_webhook(other, url(world, "other.example"))
    silent.lead(email="ada@example.org")
    wait_until(lambda: all(network.resolver.lookups[f"silent{number}.example"] for number in range(SILENT)), 10, "the look-ups")
    for number in range(3):
        other.lead(email=f"{number}@example.org")
        wait_until(lambda: len(world.posted) == number + 1, CONNECT_S + LATE_S, "another's delivery")
    wait_until(lambda: all(attempts(service, webhook) for webhook in webhooks), CONNECT_S + LATE_S, "the end of the attempts")
    for webhook in webhooks:
        [made] = attempts(service, webhook)
        assert made.error == "connect_timeout" and CONNECT_S - 0.1 < made.seconds < CONNECT_S + LATE_S
    assert dispatcher.stop(seconds=LATE_S) == 0


def test_term_during_a_look_up(network, world, service, account, dispatcher):
    """leadhook-dispatch(8) TERM: it claims nothing more, lets attempts end within the connect timeout, records them and exits with
    0"""
    campaign = service.campaign(account)
    network.resolver.script("silent.example", SILENCE)
    webhook = add_webhook(campaign, url(world, "silent.example"))
    campaign.lead(email="ada@example.org")
    wait_until(lambda: network.resolver.lookups["silent.example"], 10, "the look-up")
    assert dispatcher.stop(seconds=CONNECT_S + LATE_S) == 0
    assert [made.error for made in attempts(service, webhook)] == ["connect_timeout"]
