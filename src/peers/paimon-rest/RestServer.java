import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.apache.paimon.rest.RESTCatalogServer;
import org.apache.paimon.rest.auth.BearTokenAuthProvider;
import org.apache.paimon.rest.responses.ConfigResponse;

/** Starts the REST catalog server of Paimon's tests: WAREHOUSE_PATH WAREHOUSE_NAME TOKEN; says where on standard output, and runs until it is killed. */
final class RestServer
{
    private RestServer()
    {}

    public static void main(String[] arguments) throws Exception
    {
        String warehouse = arguments[1];
        RESTCatalogServer server = new RESTCatalogServer(arguments[0], new BearTokenAuthProvider(arguments[2]),
                new ConfigResponse(new HashMap<>(Map.of("prefix", "paimon", "warehouse", warehouse)), new HashMap<>()), warehouse);
        server.start();
        System.out.println("url=" + URI.create(server.getUrl()));
        Thread.currentThread().join();
    }
}
