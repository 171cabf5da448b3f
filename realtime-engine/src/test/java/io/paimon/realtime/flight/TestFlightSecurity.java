package io.paimon.realtime.flight;

import static io.paimon.realtime.flight.FlightFixture.TABLE;
import static io.paimon.realtime.flight.FlightFixture.failure;
import static io.paimon.realtime.flight.FlightFixture.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.model.RealtimeException.Code;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TestFlightSecurity
{
    private static final String TOKEN = "s3cret-token";

    @TempDir
    private Path directory;

    @Test
    void everyCallNeedsTheToken()
    {
        try (FlightFixture flight = new FlightFixture(FlightServerOptions.loopback().withToken(TOKEN))) {
            flight.append(0, 2);
            assertThat(flight.read(ticket())).hasSize(2);
            assertThat(flight.client.status().incarnation()).isEqualTo(FlightFixture.INCARNATION);
            FlightClientOptions address = FlightClientOptions.of(flight.server.address());
            for (FlightClientOptions options : List.of(address, address.withToken("wrong"), address.withToken(TOKEN + "x"), address.withToken("s"))) {
                try (RealtimeFlightClient client = RealtimeFlightClient.connect(flight.allocator, options);
                        VectorSchemaRoot rows = flight.rows(0, 1);
                        MemBatchReader reader = client.read(ticket(), new MemQueryContext(flight.allocator))) {
                    assertThat(failure(Code.INVALID_ARGUMENT, client::status)).hasMessageContaining("UNAUTHENTICATED");
                    failure(Code.INVALID_ARGUMENT, () -> client.append(TABLE, rows));
                    failure(Code.INVALID_ARGUMENT, () -> client.schema(TABLE));
                    failure(Code.INVALID_ARGUMENT, reader::next);
                }
            }
            assertThat(flight.service.rowCount(TABLE)).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer ", "Basic " + TOKEN, TOKEN, "Bearer " + TOKEN + " " + TOKEN})
    void otherHeadersAreRefused(String header)
            throws Exception
    {
        try (FlightFixture flight = new FlightFixture(FlightServerOptions.loopback().withToken(TOKEN));
                FlightClient client = FlightClient.builder(flight.allocator, Location.forGrpcInsecure("127.0.0.1", flight.server.port())).build()) {
            FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class,
                    () -> client.listActions(authorization(header)).forEach(_ -> {
                    }));
            assertThat(failure.status().code()).isEqualTo(FlightStatusCode.UNAUTHENTICATED);
            client.listActions(authorization("bearer " + TOKEN)).forEach(_ -> {
            });
        }
    }

    private static CallOption authorization(String value)
    {
        FlightCallHeaders headers = new FlightCallHeaders();
        headers.insert("authorization", value);
        return new HeaderCallOption(headers);
    }

    @Test
    void tlsProtectsTheConnection()
            throws Exception
    {
        FlightServerOptions.Tls tls = certificate("server", "ip:127.0.0.1");
        try (FlightFixture flight = new FlightFixture(FlightServerOptions.loopback().withToken(TOKEN).withTls(tls))) {
            assertThat(flight.server.address()).startsWith("grpc+tls://127.0.0.1:");
            flight.append(0, 2);
            assertThat(flight.read(ticket())).hasSize(2);

            FlightClientOptions address = FlightClientOptions.of(flight.server.address()).withToken(TOKEN);
            Path stranger = certificate("stranger", "ip:127.0.0.1").certificate();
            FlightClientOptions plain = address.withUri(flight.server.address().replace("grpc+tls", "grpc"));
            for (FlightClientOptions options : List.of(address, address.withTrustCertificate(stranger), plain)) {
                try (RealtimeFlightClient client = RealtimeFlightClient.connect(flight.allocator, options)) {
                    failure(Code.UNAVAILABLE, client::status);
                }
            }
        }
    }

    @Test
    void certificatesOfOtherHostsAreNotTrusted()
            throws Exception
    {
        FlightServerOptions.Tls tls = certificate("other", "dns:example.org");
        try (FlightFixture flight = new FlightFixture(FlightServerOptions.loopback().withTls(tls))) {
            failure(Code.UNAVAILABLE, flight.client::status);
        }
    }

    @Test
    void unprotectedServersListenOnLoopbackOnly()
            throws Exception
    {
        FlightServerOptions open = FlightServerOptions.loopback().withBind("0.0.0.0", 0);
        refused(open);
        refused(open.withToken(TOKEN));
        refused(open.withTlsRequired(false));
        FlightServerOptions.Tls tls = certificate("server", "ip:127.0.0.1");
        refused(open.withTls(tls));
        for (FlightServerOptions options : List.of(open.withToken(TOKEN).withTls(tls).withAdvertisedAddress("127.0.0.1"),
                open.withToken(TOKEN).withTlsRequired(false).withAdvertisedAddress("127.0.0.1"))) {
            try (FlightFixture flight = new FlightFixture(options)) {
                flight.append(0, 1);
            }
        }
    }

    @Test
    void unusableOptionsAreRefused()
            throws Exception
    {
        Path missing = directory.resolve("missing.pem");
        Path nonsense = Files.writeString(directory.resolve("nonsense.pem"), "nonsense");
        refused(FlightServerOptions.loopback().withTls(new FlightServerOptions.Tls(missing, missing)));
        refused(FlightServerOptions.loopback().withTls(new FlightServerOptions.Tls(nonsense, nonsense)));
        refused(FlightServerOptions.loopback().withBind("no.such.host.invalid", 0));
        try (RootAllocator allocator = new RootAllocator()) {
            for (Path path : List.of(missing, nonsense)) {
                failure(Code.INVALID_ARGUMENT,
                        () -> RealtimeFlightClient.connect(allocator, FlightClientOptions.of("grpc+tls://127.0.0.1:1").withTrustCertificate(path)));
            }
        }
    }

    @Test
    void portsInUseAreUnavailable()
    {
        try (FlightFixture flight = new FlightFixture()) {
            failure(Code.UNAVAILABLE, () -> RealtimeFlightServer.start(flight.service, flight.allocator,
                    FlightServerOptions.loopback().withBind("127.0.0.1", flight.server.port())));
        }
    }

    private static void refused(FlightServerOptions options)
    {
        try (RootAllocator allocator = new RootAllocator(); InMemoryRealtimeService service = new InMemoryRealtimeService(allocator, "i")) {
            failure(Code.INVALID_ARGUMENT, () -> RealtimeFlightServer.start(service, allocator, options));
        }
    }

    private FlightServerOptions.Tls certificate(String name, String subject)
            throws Exception
    {
        Path keyStore = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias", name,
                "-keyalg", "RSA", "-keysize", "2048", "-validity", "2", "-dname", "CN=" + name, "-ext", "san=" + subject, "-storetype", "PKCS12",
                "-keystore", keyStore.toString(), "-storepass", "password").inheritIO().start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore store = KeyStore.getInstance(keyStore.toFile(), "password".toCharArray());
        Path certificate = Files.writeString(directory.resolve(name + ".crt"), pem("CERTIFICATE", store.getCertificate(name).getEncoded()));
        Path key = Files.writeString(directory.resolve(name + ".key"), pem("PRIVATE KEY", store.getKey(name, "password".toCharArray()).getEncoded()));
        return new FlightServerOptions.Tls(certificate, key);
    }

    private static String pem(String kind, byte[] encoded)
    {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, Base64.getMimeEncoder(64, new byte[]{'\n'}).encodeToString(encoded),
                kind);
    }
}
